package both

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
)

func TestPath(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	p, met := path{}, map[string]int64{}
	ends, before := point{}, point{}
	for range 2000 {
		of := side(random.IntN(2))
		ends[of] += random.Int64N(4)
		revision := 1 + random.Int64N(ends[of]+1)
		number := p.number(of, revision)
		key := fmt.Sprint(of, revision)
		if old, known := met[key]; known && old != number {
			t.Fatalf("%s was %d and is %d", key, old, number)
		}
		met[key] = number
		at := p.at(number)
		if at[of] != revision || at[near]+at[far] != number {
			t.Fatalf("%s is %d, at %v", key, number, at)
		}
		if revision > before[of] && number <= before[near]+before[far] {
			t.Fatalf("%s is new and numbered %d, after %v", key, number, before)
		}
		before = p.head()
		within := point{random.Int64N(before[near] + 1), random.Int64N(before[far] + 1)}
		most := p.at(p.cover(within))
		if most[near] > within[near] || most[far] > within[far] {
			t.Fatalf("%v covers %v", within, most)
		}
		next := p.at(most[near] + most[far] + 1)
		if next != most && next[near] <= within[near] && next[far] <= within[far] {
			t.Fatalf("%v covers %v, but %v too", within, most, next)
		}
	}
	numbers := map[int64]string{}
	for key, number := range met {
		if numbers[number] != "" {
			t.Fatalf("%s and %s are %d", key, numbers[number], number)
		}
		numbers[number] = key
	}
	if got := p.at(1 << 40); got != p.head() {
		t.Errorf("beyond the end: %v", got)
	}
}

func TestNumbersOfOneSide(t *testing.T) {
	for _, of := range []side{near, far} {
		p := path{}
		for _, revision := range []int64{7, 3, 20, 1} {
			if got := p.number(of, revision); got != revision {
				t.Errorf("%d is %d", revision, got)
			}
		}
		if len(p.corners) != 1 {
			t.Errorf("a straight path has %d corners", len(p.corners))
		}
	}
}

func TestChangedAfter(t *testing.T) {
	j := join(t)
	there, here := j.ask(t, "there"), j.askNear(t, "here")
	_, seen, err := j.read(t, store.Query{Open: true})
	must(t, err)
	texts, _, err := j.read(t, store.Query{After: seen})
	must(t, err)
	if texts != "" {
		t.Errorf("changed: %s", texts)
	}
	for _, step := range []struct {
		row  store.Row
		want string
	}{{there, "there"}, {here, "here"}, {there, "there"}, {here, "here"}} {
		must(t, j.Note(t.Context(), step.row.ID, store.Later, draft("more")))
		texts, revision, err := j.read(t, store.Query{After: seen})
		must(t, err)
		if texts != step.want || revision <= seen {
			t.Errorf("changed: %q at %d, want %q after %d", texts, revision, step.want, seen)
		}
		got, err := j.Get(t.Context(), step.row.ID)
		must(t, err)
		if got.Revision != revision {
			t.Errorf("revision %d, in a list %d", got.Revision, revision)
		}
		seen = revision
	}
	must(t, j.Note(t.Context(), here.ID, store.Later, draft("x")))
	must(t, j.Note(t.Context(), there.ID, store.Later, draft("x")))
	texts, seen, err = j.read(t, store.Query{After: seen, Limit: 1})
	must(t, err)
	more, _, err := j.read(t, store.Query{After: seen, Limit: 1})
	must(t, err)
	if texts != "here" || more != "there" {
		t.Errorf("one at a time: %s, %s", texts, more)
	}
}

// The first to change is not the last asked.
func TestLimitOfFirstChanges(t *testing.T) {
	j := join(t)
	_, seen, err := j.read(t, store.Query{})
	must(t, err)
	seen = max(seen, j.ask(t, "there").Revision)
	j.askNear(t, "one")
	j.askNear(t, "two")
	for _, want := range []string{"one", "two", ""} {
		texts, next, err := j.read(t, store.Query{After: seen, Limit: 1})
		must(t, err)
		if texts != want {
			t.Fatalf("changed: %q, want %q", texts, want)
		}
		seen = next
	}
}

func TestChangeDuringRead(t *testing.T) {
	j := join(t)
	there, here := j.ask(t, "there"), j.askNear(t, "here")
	_, seen, err := j.read(t, store.Query{})
	must(t, err)
	must(t, j.Note(t.Context(), here.ID, store.Later, draft("1")))
	j.f.during = func() { // both were read, not yet numbered
		j.f.during = nil
		for _, row := range []store.Row{there, here} {
			must(t, j.Note(t.Context(), row.ID, store.Later, draft("2")))
			_, err := j.Get(t.Context(), row.ID)
			must(t, err)
		}
	}
	texts, seen, err := j.read(t, store.Query{After: seen})
	must(t, err)
	if texts != "here" {
		t.Errorf("changed: %s", texts)
	}
	texts, seen, err = j.read(t, store.Query{After: seen})
	must(t, err)
	if texts != "there here" {
		t.Errorf("changed meanwhile: %s", texts)
	}
	texts, _, err = j.read(t, store.Query{After: seen})
	must(t, err)
	if texts != "" {
		t.Errorf("changed after all: %s", texts)
	}
}

func TestChangeBetweenReads(t *testing.T) {
	j := join(t)
	there, here := j.ask(t, "there"), j.askNear(t, "here")
	_, seen, err := j.read(t, store.Query{})
	must(t, err)
	j.f.before = func() { // this machine was read
		j.f.before = nil
		must(t, j.Note(t.Context(), here.ID, store.Later, draft("1")))
		_, err := j.Get(t.Context(), here.ID)
		must(t, err)
		must(t, j.Note(t.Context(), there.ID, store.Later, draft("1")))
	}
	texts, seen, err := j.read(t, store.Query{After: seen})
	must(t, err)
	if texts != "there" {
		t.Errorf("changed: %s", texts)
	}
	texts, seen, err = j.read(t, store.Query{After: seen})
	must(t, err)
	if texts != "here there" {
		t.Errorf("changed meanwhile: %s", texts)
	}
	texts, _, err = j.read(t, store.Query{After: seen})
	must(t, err)
	if texts != "" {
		t.Errorf("changed after all: %s", texts)
	}
}

func TestChangesMissedInOutage(t *testing.T) {
	j := join(t)
	there, here := j.ask(t, "there"), j.askNear(t, "here")
	_, seen, err := j.read(t, store.Query{})
	must(t, err)
	must(t, j.Note(t.Context(), there.ID, store.Later, draft("1")))
	_, err = j.Get(t.Context(), there.ID) // another reader has met the change
	must(t, err)
	j.f.cut(true)
	must(t, j.Note(t.Context(), here.ID, store.Later, draft("1")))
	texts, seen, err := j.read(t, store.Query{After: seen})
	wants(t, err, store.ErrUnreachable)
	if texts != "here" {
		t.Errorf("changed: %s", texts)
	}
	j.f.cut(false)
	texts, seen, err = j.read(t, store.Query{After: seen})
	must(t, err)
	if texts != "there here" {
		t.Errorf("changed in the outage: %s", texts)
	}
	texts, _, err = j.read(t, store.Query{After: seen})
	must(t, err)
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
		changes, err := j.Changes(ctx)
		must(t, err)
		_, seen, err := j.read(t, store.Query{Open: true})
		must(t, err)
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
					seen = max(seen, row.Revision)
					if row.Outcome != nil {
						ended[row.ID] = true
					}
				}
			}
		})
	}
	for _, direct := range []store.Store{j.near, j.f.Store} {
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
