package desk_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/question"
)

// picture is a small image.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func attach(t *testing.T, d *desk.Desk, id, name string, data []byte) question.File {
	t.Helper()
	f, err := d.AttachFile(t.Context(), id, name, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keptFiles returns the names of all files beside records.
func keptFiles(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "files", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return found
}

// A file is kept with the answer that has it, for as long as its record; one that was
// removed again is not kept.
func TestFilesOfAnAnswer(t *testing.T) {
	dir := storeDir(t)
	now := time.Now()
	d := desk.New(openSpool(t, dir), desk.Options{Now: func() time.Time { return now }})
	rec := ask(t, d)
	shot := attach(t, d, rec.ID, `C:\Users\me\what is wrong.png`, picture(t))
	attach(t, d, rec.ID, "removed.txt", []byte("by mistake\n"))
	if shot.Name != "what is wrong.png" || shot.Type != "image/png" || shot.Size != int64(len(picture(t))) {
		t.Errorf("attached %+v", shot)
	}
	for _, path := range []string{"files", "files/" + rec.ID, "files/" + rec.ID + "/" + shot.Key()} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	r := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Files: []question.File{shot}}}}
	if err := d.SaveDraft(t.Context(), rec.ID, r); err != nil {
		t.Fatal(err)
	}
	if draft, _, err := d.Draft(t.Context(), rec.ID); err != nil || draft.Answers[0].Files[0] != shot {
		t.Errorf("the draft has %+v, %v", draft, err)
	}
	ended, err := d.Reply(t.Context(), rec.ID, r, desk.Evidence{How: desk.HowPage})
	if err != nil {
		t.Fatal(err)
	}
	if x := ended.Asked()[0]; x.Text() != shot.String() {
		t.Errorf("the answer reads %q", x.Text())
	}
	if _, err := d.AttachFile(t.Context(), rec.ID, "late.txt", strings.NewReader("late")); !closed(err) {
		t.Errorf("a file for a record that has ended: %v", err)
	}
	again, err := d.Reopen(t.Context(), rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, data, err := d.File(t.Context(), again.ID, shot.Key()); err != nil || !bytes.Equal(data, picture(t)) {
		t.Errorf("reopened: %v", err)
	}
	if _, err := d.Close(t.Context(), again.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{rec.ID, again.ID} {
		if err := d.Archive(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if kept := keptFiles(t, dir); len(kept) != 1 || kept[0] != shot.Key() {
		t.Errorf("the archive keeps %v", kept)
	}
	if f, data, err := d.File(t.Context(), rec.ID, shot.Key()); err != nil || f.Type != shot.Type || !bytes.Equal(data, picture(t)) {
		t.Errorf("read from the archive: %+v, %v", f, err)
	}
	var want int64 // the files count beside the documents
	for _, x := range []desk.Record{rec, again} {
		info, err := os.Stat(openSpool(t, dir).Path(desk.KindArchive, x.ID))
		if err != nil {
			t.Fatal(err)
		}
		want += info.Size()
	}
	want += shot.Size
	now = now.Add(48 * time.Hour)
	for _, dry := range []bool{true, false} {
		months, err := d.Prune(t.Context(), now, dry)
		if err != nil || len(months) != 1 || months[0].Bytes != want {
			t.Errorf("pruned %+v, %v; want %d bytes", months, err, want)
		}
	}
	if kept := keptFiles(t, dir); len(kept) > 0 {
		t.Errorf("pruned, the store keeps %v", kept)
	}
}

func closed(err error) bool {
	_, is := errors.AsType[*desk.ClosedError](err)
	return is
}

// A reply names only files that were attached to its record, as they are.
func TestFilesThatWereNotAttached(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	different := set()
	different.Questions[0].Text = "Which cache?"
	other, err := d.Ask(t.Context(), different, "s1", asker)
	if err != nil {
		t.Fatal(err)
	}
	shot := attach(t, d, rec.ID, "a.png", picture(t))
	damaged := attach(t, d, rec.ID, "b.txt", []byte("as it was"))
	if err := os.WriteFile(filepath.Join(dir, "files", rec.ID, damaged.Key()), []byte("as it is"), 0o600); err != nil {
		t.Fatal(err)
	}
	change := func(with func(*question.File)) question.File {
		f := shot
		with(&f)
		return f
	}
	for name, f := range map[string]question.File{
		"another type":     change(func(f *question.File) { f.Type = "text/plain" }),
		"another image":    change(func(f *question.File) { f.Type = "image/jpeg" }),
		"no type":          change(func(f *question.File) { f.Type = "" }),
		"markup":           change(func(f *question.File) { f.Type = "text/html" }),
		"another size":     change(func(f *question.File) { f.Size++ }),
		"another content":  change(func(f *question.File) { f.SHA256 = strings.Repeat("0", 64) }),
		"a path":           change(func(f *question.File) { f.Name = "../../etc/passwd" }),
		"a path as digest": change(func(f *question.File) { f.SHA256 = "../../../../etc/passwd" }),
		"an escape":        change(func(f *question.File) { f.Name = "\x1b[2J.png" }),
		"damaged since":    damaged,
	} {
		r := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "see there", Files: []question.File{f}}}}
		_, err := d.Reply(t.Context(), rec.ID, r, desk.Evidence{How: desk.HowPage})
		if _, refused := errors.AsType[question.Violations](err); !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Files: []question.File{shot}}}}
	_, err = d.Reply(t.Context(), other.ID, r, desk.Evidence{How: desk.HowPage})
	if _, refused := errors.AsType[question.Violations](err); !refused {
		t.Errorf("a file of another record: %v", err)
	}
	if _, err := d.Reply(t.Context(), rec.ID, r, desk.Evidence{How: desk.HowPage}); err != nil {
		t.Errorf("the file that was attached: %v", err)
	}
}

// unremovable is a store whose files cannot be removed.
type unremovable struct{ *spool.Spool }

func (unremovable) DeleteFile(context.Context, string, string) error { return desk.ErrUnreachable }

// A record whose files cannot be removed is pruned later: nothing else leads to them.
func TestPruneWithoutItsFiles(t *testing.T) {
	dir := storeDir(t)
	d := at(t, dir, begin, desk.Options{})
	rec := ask(t, d)
	shot := attach(t, d, rec.ID, "a.png", picture(t))
	r := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Files: []question.File{shot}}}}
	must(d.Reply(t.Context(), rec.ID, r, desk.Evidence{How: desk.HowPage}))
	if err := d.Archive(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	if got, err := desk.New(unremovable{openSpool(t, dir)}, desk.Options{}).Prune(t.Context(), begin.AddDate(0, 0, 1), false); !errors.Is(err, desk.ErrUnreachable) || got != nil {
		t.Errorf("pruned %+v, %v", got, err)
	}
	if _, err := d.Get(t.Context(), rec.ID); err != nil {
		t.Error(err)
	}
	must(desk.New(openSpool(t, dir), desk.Options{}).Prune(t.Context(), begin.AddDate(0, 0, 1), false))
	if kept := keptFiles(t, dir); len(kept) > 0 {
		t.Errorf("pruned, the store keeps %v", kept)
	}
}
