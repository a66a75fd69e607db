package desk_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// picture is a small image.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	fatal.If(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))))
	return b.Bytes()
}

func attach(t *testing.T, d *desk.Desk, id, name string, data []byte) question.File {
	t.Helper()
	return must(d.AttachFile(t.Context(), id, name, bytes.NewReader(data)))
}

// A file is kept with the answer that has it, for as long as its record, and so is its copy for
// agents.
func TestFilesOfAnAnswer(t *testing.T) {
	dir := storeDir(t)
	copies := desk.Options{Copies: t.TempDir()}
	d := at(t, dir, time.Now(), copies)
	rec := ask(t, d)
	shot := attach(t, d, rec.ID, `C:\Users\me\what is wrong.png`, picture(t))
	attach(t, d, rec.ID, "removed.txt", []byte("by mistake\n"))
	if shot.Name != "what is wrong.png" || shot.Type != "image/png" || shot.Size != int64(len(picture(t))) {
		t.Errorf("attached %+v", shot)
	}
	r := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Files: []question.File{shot}}}}
	fatal.If(t, d.SaveDraft(t.Context(), rec.ID, r))
	if draft, _, err := d.Draft(t.Context(), rec.ID); err != nil || draft.Answers[0].Files[0] != shot {
		t.Errorf("the draft has %+v, %v", draft, err)
	}
	ended := must(d.Reply(t.Context(), rec.ID, r, byPage))
	if x := ended.Asked()[0]; x.Text() != shot.String() {
		t.Errorf("the answer reads %q", x.Text())
	}
	if _, err := d.AttachFile(t.Context(), rec.ID, "late.txt", strings.NewReader("late")); !closed(err) {
		t.Errorf("a file for a record that has ended: %v", err)
	}
	again := must(d.Reopen(t.Context(), rec.ID))
	if _, data, err := d.File(t.Context(), again.ID, shot.Key()); err != nil || !bytes.Equal(data, picture(t)) {
		t.Errorf("reopened: %v", err)
	}
	must(d.Close(t.Context(), again.ID, desk.Outcome{Status: desk.Cancelled}))
	for _, id := range []string{rec.ID, again.ID} {
		fatal.If(t, d.Delivered(t.Context(), id))
	}
	if f, data, err := d.File(t.Context(), rec.ID, shot.Key()); err != nil || f.Type != shot.Type || !bytes.Equal(data, picture(t)) {
		t.Errorf("read from the past: %+v, %v", f, err)
	}
	path := d.FilePath(t.Context(), rec.ID, shot)
	for _, kept := range []bool{true, false} {
		data, _ := os.ReadFile(path)
		if bytes.Equal(data, picture(t)) != kept {
			t.Errorf("the copy has %d bytes, and its record is kept: %v", len(data), kept)
		}
		later := time.Now().Add(2 * time.Hour)
		must(at(t, dir, later, copies).Prune(t.Context(), later, false))
	}
}

// A reply names only files that were attached to its record, as they are.
func TestFilesThatWereNotAttached(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	other := put(t, d, request("Which cache?").Set, "s1", asker)
	shot := attach(t, d, rec.ID, "a.png", picture(t))
	damaged := attach(t, d, rec.ID, "b.txt", []byte("as it was"))
	desktest.Exec(t, dir, `update file set data=? where key=?`, []byte("as it is"), damaged.Key())
	change := func(with func(*question.File)) question.File {
		f := shot
		with(&f)
		return f
	}
	for name, f := range map[string]question.File{
		"another type":     change(func(f *question.File) { f.Type = "text/plain" }),
		"markup":           change(func(f *question.File) { f.Type = "text/html" }),
		"another size":     change(func(f *question.File) { f.Size++ }),
		"another content":  change(func(f *question.File) { f.SHA256 = strings.Repeat("0", 64) }),
		"a path":           change(func(f *question.File) { f.Name = "../../etc/passwd" }),
		"a path as digest": change(func(f *question.File) { f.SHA256 = "../../../../etc/passwd" }),
		"an escape":        change(func(f *question.File) { f.Name = "\x1b[2J.png" }),
		"damaged since":    damaged,
	} {
		r := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "see there", Files: []question.File{f}}}}
		_, err := d.Reply(t.Context(), rec.ID, r, byPage)
		if _, refused := errors.AsType[question.Violations](err); !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Files: []question.File{shot}}}}
	_, err := d.Reply(t.Context(), other.ID, r, byPage)
	if _, refused := errors.AsType[question.Violations](err); !refused {
		t.Errorf("a file of another record: %v", err)
	}
	if _, err := d.Reply(t.Context(), rec.ID, r, byPage); err != nil {
		t.Errorf("the file that was attached: %v", err)
	}
}
