package desk_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
)

// answered asks and answers a question of a session in a project, and puts it away.
func answered(tb testing.TB, d *desk.Desk, texts ...string) desk.Record {
	tb.Helper()
	s := set()
	s.Questions[0].Text += strings.Join(texts, " ")
	rec := must(d.Ask(tb.Context(), s, "s1", asker))
	must(d.Reply(tb.Context(), rec.ID, says("DuckDB"), byPage))
	if err := d.Delivered(tb.Context(), rec.ID); err != nil {
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
	must(old.Reply(ctx, gone.ID, says("Oracle"), byPage))
	if err := old.Delivered(ctx, gone.ID); err != nil {
		t.Fatal(err)
	}
	young := answered(t, at(t, dir, begin.AddDate(0, 1, 0), desk.Options{}))
	uncollected := ask(t, old)
	must(old.Reply(ctx, uncollected.ID, says("SQLite"), byPage))
	now := at(t, dir, begin.AddDate(0, 2, 0), desk.Options{})
	before := files(t, dir)

	counted := must(now.Prune(ctx, begin.AddDate(0, 0, 1), true))
	if len(counted) != 1 || counted[0].Name != "2026-03" || counted[0].Rows != 2 || counted[0].Bytes < 100 {
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
