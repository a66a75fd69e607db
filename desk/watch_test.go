package desk_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"mcp-askuser/desk"
)

func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(deadline(t))
	dir := storeDir(t)
	watching, other := open(t, dir), open(t, dir)
	before := ask(t, other)
	closed := ask(t, other)
	if _, err := other.Reply(ctx, closed.ID, says("x"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}

	events, err := watching.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	first, second := ask(t, other), ask(t, watching)
	for i, rec := range []desk.Record{second, before, first} {
		if _, err := other.Reply(ctx, rec.ID, says(fmt.Sprint(i)), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
	}
	// Cleaning up is no event.
	for _, rec := range []desk.Record{closed, first, before} {
		if err := other.Archive(ctx, rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	last := ask(t, other)

	want := []struct {
		kind desk.EventType
		id   string
		text string
	}{
		{desk.Asked, first.ID, ""},
		{desk.Asked, second.ID, ""},
		{desk.Ended, second.ID, "0"},
		{desk.Ended, before.ID, "1"},
		{desk.Ended, first.ID, "2"},
		{desk.Asked, last.ID, ""},
	}
	for _, w := range want {
		ev, ok := <-events
		for ok && ev.Type == desk.Touched { // nobody waits any more
			ev, ok = <-events
		}
		if !ok {
			t.Fatal("the watch ended early")
		}
		if ev.Type != w.kind || ev.Record.ID != w.id || text(ev.Record) != w.text {
			t.Fatalf("got %s %s %q, want %s %s %q", ev.Type, ev.Record.ID, text(ev.Record), w.kind, w.id, w.text)
		}
		if pending := ev.Record.State == desk.Pending; pending != (ev.Type == desk.Asked) {
			t.Errorf("%s with a record that is %s", ev.Type, ev.Record.State)
		}
	}
	cancel()
	for range events {
	}
}

// listing is a store that still lists what was removed a moment ago.
type listing struct {
	tampered
	removed string
}

func (s *listing) List(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if kind != desk.KindPending || yield(s.removed, nil) {
			s.Store.List(ctx, kind, in)(yield)
		}
	}
}

// One who looks at everything after a gap hears the end of a record that was
// answered and collected within it, though it is still listed.
func TestWatchAfterAGap(t *testing.T) {
	dir := storeDir(t)
	other := open(t, dir)
	rec := ask(t, other)
	changes := make(chan desk.Change)
	store := &listing{tampered: tampered{Store: openSpool(t, dir), watch: func(context.Context) (<-chan desk.Change, error) { return changes, nil }}}
	ctx, cancel := context.WithCancel(deadline(t))
	events, err := desk.New(store, desk.Options{}).Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		for range events { // until it has left
		}
		close(changes)
	}()
	answerAndArchive(t, other, rec.ID)
	store.removed = rec.ID
	changes <- desk.Change{}
	select {
	case ev := <-events:
		if ev.Type != desk.Ended || ev.Record.ID != rec.ID || ev.Record.Outcome == nil {
			t.Errorf("told %s of %s", ev.Type, ev.Record.ID)
		}
	case <-ctx.Done():
		t.Error("not told")
	}
}

// A watch that was given up may still have a change to report. Those who watch by then have
// a watch of their own, and go on.
func TestWatchAfterOneThatEnded(t *testing.T) {
	dir := storeDir(t)
	other := open(t, dir)
	var watches []chan desk.Change
	d := desk.New(&tampered{Store: openSpool(t, dir), watch: func(context.Context) (<-chan desk.Change, error) {
		watches = append(watches, make(chan desk.Change))
		return watches[len(watches)-1], nil
	}}, desk.Options{})
	ctx, end := context.WithCancel(deadline(t))
	defer end()
	first, leave := context.WithCancel(ctx)
	events := must(d.Watch(first))
	leave()
	for range events { // until it has left
	}
	events = must(d.Watch(ctx))
	rec := ask(t, other)
	asked := desk.Change{Kind: desk.KindPending, ID: rec.ID}
	for range 2 { // the second is taken when the first was reported
		watches[0] <- asked
	}
	select {
	case watches[1] <- asked:
	case <-ctx.Done():
	}
	if ev, ok := <-events; !ok || ev.Type != desk.Asked || ev.Record.ID != rec.ID {
		t.Errorf("told %+v, and the watch goes on: %v", ev, ok)
	}
	end()
	for range events {
	}
	for _, changes := range watches {
		close(changes)
	}
}
