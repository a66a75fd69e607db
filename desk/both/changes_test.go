package both

import (
	"context"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

func TestChangedAfter(t *testing.T) {
	j := join(t)
	there, here := j.ask(t, "there"), j.askNear(t, "here")
	seen, err := j.Revision(t.Context())
	fatal.If(t, err)
	texts, _, err := j.read(t, store.Query{After: seen})
	fatal.If(t, err)
	if texts != "" {
		t.Errorf("changed: %s", texts)
	}
	for _, step := range []struct {
		row  store.Row
		want string
	}{{there, "there"}, {here, "here"}, {there, "there"}, {here, "here"}} {
		fatal.If(t, j.Note(t.Context(), step.row.ID, store.Later, draft("more")))
		texts, revision, err := j.read(t, store.Query{After: seen})
		fatal.If(t, err)
		if texts != step.want || seen.Max(revision) == seen {
			t.Errorf("changed: %q at %v, want %q after %v", texts, revision, step.want, seen)
		}
		got, err := j.Get(t.Context(), step.row.ID)
		fatal.If(t, err)
		if revision != got.Revision {
			t.Errorf("revision %v, in a list %v", got.Revision, revision)
		}
		seen = seen.Max(revision)
	}
}

func TestChangesMissedInOutage(t *testing.T) {
	j := join(t)
	there, here := j.ask(t, "there"), j.askNear(t, "here")
	_, seen, err := j.read(t, store.Query{})
	fatal.If(t, err)
	fatal.If(t, j.Note(t.Context(), there.ID, store.Later, draft("1")))
	_, err = j.Get(t.Context(), there.ID) // another reader has met the change
	fatal.If(t, err)
	j.f.cut(true)
	fatal.If(t, j.Note(t.Context(), here.ID, store.Later, draft("1")))
	texts, met, err := j.read(t, store.Query{After: seen})
	seen = seen.Max(met)
	wants(t, err, store.ErrUnreachable)
	if texts != "here" {
		t.Errorf("changed: %s", texts)
	}
	j.f.cut(false)
	texts, met, err = j.read(t, store.Query{After: seen})
	fatal.If(t, err)
	seen = seen.Max(met)
	if texts != "there" {
		t.Errorf("changed in the outage: %s", texts)
	}
	texts, _, err = j.read(t, store.Query{After: seen})
	fatal.If(t, err)
	if texts != "" {
		t.Errorf("changed after all: %s", texts)
	}
}

// Watchers that read after each change meet the last change of every row, whichever process
// made it, and whatever the others meet.
func TestWatchersMissNothing(t *testing.T) {
	j := join(t)
	const rows = 40
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var watchers, writers sync.WaitGroup
	for range 3 {
		changes, err := j.Changes(ctx, "")
		fatal.If(t, err)
		seen, err := j.Revision(ctx)
		fatal.If(t, err)
		watchers.Go(func() {
			ended := map[string]bool{}
			for len(ended) < rows {
				select {
				case <-changes:
				case <-ctx.Done():
					t.Errorf("a watcher knows of %d ends", len(ended))
					return
				}
				for row, err := range j.Rows(ctx, store.Query{After: seen}) {
					if err != nil {
						t.Error(err)
						return
					}
					seen = seen.Max(row.Revision)
					if row.Outcome != nil {
						ended[row.ID] = true
					}
				}
			}
		})
	}
	for _, direct := range []store.Store{j.near, j.f.own} {
		writers.Go(func() {
			for range rows / 2 {
				row, err := direct.Ask(ctx, storetest.NewRow("x"))
				if err == nil {
					_, err = j.Get(ctx, row.ID)
				}
				if err == nil {
					err = j.Answer(ctx, row.ID, end("yes"))
				}
				if err == nil {
					_, err = j.Get(ctx, row.ID) // meets the change before the watchers do
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	watchers.Wait()
}
