package desk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
)

// at is a desk in a directory at a moment.
func at(tb testing.TB, dir string, now time.Time, o desk.Options) *desk.Desk {
	tb.Helper()
	o.Now = func() time.Time { return now }
	return desk.New(openSpool(tb, dir), o)
}

// answered asks and answers a question of a session in a project, and puts it away.
func answered(tb testing.TB, d *desk.Desk, texts ...string) desk.Record {
	tb.Helper()
	s := set()
	s.Questions[0].Text += strings.Join(texts, " ")
	rec := must(d.Ask(tb.Context(), s, "s1", asker))
	must(d.Reply(tb.Context(), rec.ID, says("DuckDB"), desk.Evidence{Surface: "web", How: desk.HowPage}))
	if err := d.Archive(tb.Context(), rec.ID); err != nil {
		tb.Fatal(err)
	}
	return rec
}

// files are the names of all that a store holds of questions: documents and marks.
func files(tb testing.TB, dir string) (out []string) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

var begin = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

// Invariant: what is pruned is gone with all its marks; what is younger, open or not
// collected stays, and so does what an open question goes back to.
func TestPrune(t *testing.T) {
	ctx := t.Context()
	dir := storeDir(t)
	old := at(t, dir, begin, desk.Options{Keep: 365 * 24 * time.Hour})
	first, again := answered(t, old, "1"), answered(t, old, "2")
	later := must(old.Reopen(ctx, again.ID)) // which goes back to again, and is open
	gone := must(old.Reopen(ctx, first.ID))  // this one ends
	must(old.Reply(ctx, gone.ID, says("Oracle"), desk.Evidence{Surface: "web", How: desk.HowPage}))
	if err := old.Archive(ctx, gone.ID); err != nil {
		t.Fatal(err)
	}
	young := answered(t, at(t, dir, begin.AddDate(0, 1, 0), desk.Options{}))
	uncollected := ask(t, old)
	must(old.Reply(ctx, uncollected.ID, says("SQLite"), desk.Evidence{Surface: "web", How: desk.HowPage}))
	now := at(t, dir, begin.AddDate(0, 2, 0), desk.Options{})
	before := files(t, dir)

	counted := must(now.Prune(ctx, begin.AddDate(0, 0, 1), true))
	if len(counted) != 1 || counted[0].Name != "2026-03" || counted[0].Questions != 2 || counted[0].Bytes < 100 {
		t.Errorf("counted %+v", counted)
	}
	if after := files(t, dir); !slices.Equal(before, after) {
		t.Errorf("counting has changed the store:\n%v\n%v", before, after)
	}
	if got := must(now.Prune(ctx, begin.AddDate(0, 0, 1), false)); !slices.Equal(got, counted) {
		t.Errorf("counted %+v, pruned %+v", counted, got)
	}
	left := strings.Join(files(t, dir), "\n")
	for _, rec := range []desk.Record{first, gone} {
		if _, err := now.Get(ctx, rec.ID); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("%s: %v", rec.ID, err)
		}
		if strings.Contains(left, rec.ID) {
			t.Errorf("%s is still there:\n%s", rec.ID, left)
		}
	}
	for _, rec := range []desk.Record{again, later, uncollected, young} {
		if _, err := now.Get(ctx, rec.ID); err != nil {
			t.Errorf("%s: %v", rec.ID, err)
		}
	}
	if rec := must(now.Latest(ctx, again.ID)); rec.ID != later.ID {
		t.Errorf("it leads to %s", rec.ID)
	}
	if got := must(now.Prune(ctx, begin.AddDate(1, 0, 0), false)); len(got) != 1 || got[0].Name != "2026-04" {
		t.Errorf("pruned of the rest: %+v", got)
	}
}

// No index leads to a question that was pruned.
func TestPruneTakesMarks(t *testing.T) {
	dir := storeDir(t)
	d := at(t, dir, begin, desk.Options{})
	answered(t, d)
	if len(files(t, dir)) < 3 {
		t.Fatal("nothing is marked")
	}
	must(at(t, dir, begin.AddDate(0, 0, 2), desk.Options{}).Prune(t.Context(), begin.AddDate(0, 0, 1), false))
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// What is younger than an hour is not pruned, whatever is asked for; damaged documents
// stay where their user can look at them.
func TestPruneSpares(t *testing.T) {
	dir := storeDir(t)
	d := at(t, dir, begin, desk.Options{})
	young, damaged := answered(t, d), answered(t, d)
	path := openSpool(t, dir).Path(desk.KindArchive, damaged.ID)
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	soon := at(t, dir, begin.Add(desk.MinHistory-time.Second), desk.Options{})
	if got := must(soon.Prune(t.Context(), begin.AddDate(1, 0, 0), false)); got != nil {
		t.Errorf("pruned %+v", got)
	}
	must(at(t, dir, begin.Add(2*desk.MinHistory), desk.Options{}).Prune(t.Context(), begin.AddDate(1, 0, 0), false))
	if _, err := d.Get(t.Context(), young.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// Invariant: an answerer who was stopped for so long that the question was answered,
// archived and pruned meanwhile is not told that the answer counts, and leaves none.
func TestAnswerAfterPruning(t *testing.T) {
	ctx := t.Context()
	dir := storeDir(t)
	rec := ask(t, at(t, dir, begin, desk.Options{}))
	late := begin.AddDate(0, 0, 3)
	other := at(t, dir, late, desk.Options{})
	store := &tampered{Store: openSpool(t, dir), beforeCreate: once(desk.KindReplies, func() {
		must(other.Reply(ctx, rec.ID, says("first"), desk.Evidence{Surface: "web", How: desk.HowPage}))
		if err := other.Archive(ctx, rec.ID); err != nil {
			t.Error(err)
		}
		must(other.Prune(ctx, late.AddDate(0, 0, -1), false))
	})}
	d := desk.New(store, desk.Options{Now: func() time.Time { return late }})
	if _, err := d.Reply(ctx, rec.ID, says("late"), desk.Evidence{Surface: "tty", How: desk.HowPage}); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("Reply: %v", err)
	}
	nothingLeft(t, dir, "replies")
}

// What the settings do not keep is pruned when something is archived, some at a time,
// once a day by whichever process is the first, and in the store of this user's own.
func TestKeepHistory(t *testing.T) {
	ctx := t.Context()
	dir, shared := storeDir(t), storeDir(t)
	count := func(dir string) (n int) {
		for _, err := range openSpool(t, dir).List(ctx, desk.KindArchive, desk.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	old := at(t, dir, begin, desk.Options{})
	for range 3 {
		answered(t, old)
	}
	answered(t, at(t, shared, begin, desk.Options{}))
	archive := func(o desk.Options, now time.Time) {
		o.Now = func() time.Time { return now }
		answered(t, desk.New(openSpool(t, shared), o))
	}
	keep := desk.Options{KeepHistory: 48 * time.Hour, Own: openSpool(t, dir)}
	archive(desk.Options{}, begin.AddDate(0, 0, 3))
	if n := count(dir); n != 3 {
		t.Errorf("nothing is to be pruned, and %d are left", n)
	}
	archive(keep, begin.Add(47*time.Hour))
	if n := count(dir); n != 3 {
		t.Errorf("none is old enough, and %d are left", n)
	}
	archive(keep, begin.Add(49*time.Hour)) // within a day of the last time
	if n := count(dir); n != 3 {
		t.Errorf("it was looked at, and %d are left", n)
	}
	archive(keep, begin.Add(72*time.Hour))
	if n := count(dir); n != 0 {
		t.Errorf("%d are left", n)
	}
	if n := count(shared); n != 5 {
		t.Errorf("the other store has %d", n)
	}
	if marks, err := openSpool(t, dir).Marks(ctx, desk.MarkPruned, "history"); err != nil || len(marks) != 1 {
		t.Errorf("marked %v, %v", marks, err)
	}
}

// What has grown for long goes a part at a time: a process that archives may be about to
// end.
func TestKeepHistoryInParts(t *testing.T) {
	dir := storeDir(t)
	whole := answered(t, at(t, dir, begin, desk.Options{}))
	s := openSpool(t, dir)
	path := s.Path(desk.KindArchive, whole.ID)
	data := must(os.ReadFile(path))
	for i := range 600 {
		id := whole.ID[:20] + fmt.Sprintf("%06d", i)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), id+".json"), bytes.ReplaceAll(data, []byte(whole.ID), []byte(id)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := begin.AddDate(0, 0, 3)
	d := at(t, dir, now, desk.Options{KeepHistory: 24 * time.Hour})
	for _, want := range []int{102, 2, 3, 4} { // with those that are archived here
		answered(t, d)
		entries := must(os.ReadDir(filepath.Dir(path)))
		if len(entries) != want {
			t.Errorf("%d are left, want %d", len(entries), want)
		}
	}
}

// denied is a store in which this credential may change nothing.
type denied struct {
	*spool.Spool
	desk.Shared
}

func (denied) MayAnswer(context.Context, string) error { return desk.ErrDenied }

// An agent's credential prunes nothing.
func TestPruneDenied(t *testing.T) {
	dir := storeDir(t)
	rec := answered(t, at(t, dir, begin, desk.Options{}))
	d := desk.New(denied{Spool: openSpool(t, dir)}, desk.Options{})
	if got, err := d.Prune(t.Context(), begin.AddDate(0, 0, 1), false); !errors.Is(err, desk.ErrDenied) || got != nil {
		t.Errorf("pruned %+v, %v", got, err)
	}
	if _, err := d.Get(t.Context(), rec.ID); err != nil {
		t.Error(err)
	}
}
