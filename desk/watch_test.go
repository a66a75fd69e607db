package desk_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// watched is what a desk reports.
type watched struct {
	*testing.T
	events <-chan desk.Event
}

// watch watches a desk until the test ends, and no longer: a watch that went on would make
// the store anew while it is removed.
func watch(t *testing.T, d *desk.Desk) watched {
	t.Helper()
	ctx, stop := context.WithCancel(deadline(t))
	events, err := d.Watch(ctx)
	fatal.If(t, err)
	t.Cleanup(func() {
		stop()
		for range events {
		}
	})
	return watched{t, events}
}

// next fails where the next event but touches is another, or of a record that says otherwise.
func (w watched) next(want desk.EventType, rec desk.Record, says string) {
	w.Helper()
	ev := <-w.events
	for ev.Type == desk.Touched {
		ev = <-w.events
	}
	if ev.Type != want || ev.Record.ID != rec.ID || text(ev.Record) != says {
		w.Fatalf("got %s %s %q, want %s %s %q", ev.Type, ev.Record.ID, text(ev.Record), want, rec.ID, says)
	}
	if pending := ev.Record.State == desk.Pending; pending != (want == desk.Asked) {
		w.Errorf("%s with a record that is %s", want, ev.Record.State)
	}
}

// touched waits for a touch after which the record is as it should be.
func (w watched) touched(what string, ok func(desk.Record) bool) {
	w.Helper()
	for ev := range w.events {
		if ev.Type == desk.Touched && ok(ev.Record) {
			return
		}
	}
	w.Fatalf("not told: %s", what)
}

// A watch that cannot begin leaves nothing behind: inboxes try again every two seconds.
func TestWatchFails(t *testing.T) {
	dir := storeDir(t)
	d, s := faulty(t, dir, desk.Options{})
	ask(t, d)
	s.Fail("Rows", desk.ErrDenied)
	for range 3 {
		_, err := d.Watch(t.Context())
		if !errors.Is(err, desk.ErrDenied) {
			t.Fatal(err)
		}
	}
	ended := func() bool {
		left, err := os.ReadDir(filepath.Join(dir, "watch"))
		return err == nil && len(left) == 0
	}
	if !waittest.Until(waittest.Patience, ended) {
		t.Error("the store still watches")
	}
}

// A watcher learns of what is asked and what ends in any process, once and in order, from its
// beginning on; of what happens to an open question; and not of a delivery.
func TestWatch(t *testing.T) {
	dir := storeDir(t)
	here, other := open(t, dir), open(t, dir)
	before, closed := ask(t, other), ask(t, other)
	reply(t, other, closed.ID, "x")

	w := watch(t, open(t, dir))
	rec, attendance := submit(t, other, request("Which?"))
	w.next(desk.Asked, rec, "")
	shown := []desk.Showing{{Surface: "elicit", Why: "not declared"}, {Surface: "tty"}}
	steps := []func() error{
		func() error { return other.SetShown(t.Context(), rec.ID, shown) },
		func() error { return other.SaveDraft(t.Context(), rec.ID, says("x")) },
	}
	for _, step := range steps {
		fatal.If(t, step())
		w.touched("shown, worked on", func(rec desk.Record) bool { return len(rec.ShownOn) == 2 })
	}
	attendance.Release()
	w.touched("detached", func(rec desk.Record) bool { return !rec.Attended })

	own := put(t, here, set(), "", asker) // of no session
	w.next(desk.Asked, own, "")
	for i, rec := range []desk.Record{own, before, rec} {
		reply(t, other, rec.ID, string(rune('a'+i)))
		w.next(desk.Ended, rec, string(rune('a'+i)))
	}
	for _, rec := range []desk.Record{closed, before, own} {
		collected(t, other, rec, nil)
	}
	last := ask(t, other)
	w.next(desk.Asked, last, "")
}

// A watcher learns what a host has made of a reply, also of one that was given before.
func TestWatchSettled(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	before := mirror(t, d)
	reply(t, d, before.ID, "here")
	w := watch(t, open(t, dir))
	taken, passedOver, quiet := mirror(t, d), mirror(t, d), mirror(t, d)
	for _, rec := range []desk.Record{taken, passedOver, quiet} {
		w.next(desk.Asked, rec, "")
	}
	reply(t, d, taken.ID, "there")
	w.next(desk.Ended, taken, "there")
	reply(t, d, passedOver.ID, "here")
	w.next(desk.Ended, passedOver, "here")
	for _, rec := range []desk.Record{taken, passedOver, before} {
		must(d.Settle(t.Context(), rec.ID, there("there")))
		w.next(desk.Settled, rec, "there")
	}
	must(d.Settle(t.Context(), quiet.ID, there("there")))
	w.next(desk.Ended, quiet, "there")
}

// A watcher whose clock is ahead of the asker's learns of a question that was asked and answered
// between two looks.
func TestWatchWithAnotherClock(t *testing.T) {
	dir := storeDir(t)
	w, other := watch(t, after(t, dir, 2*time.Hour)), open(t, dir)
	first := detached(t, other, request("One?"))
	second := detached(t, other, request("Two?")) // while no event is received the watcher does not look
	reply(t, other, second.ID, "x")
	w.next(desk.Asked, first, "")
	w.next(desk.Asked, second, "")
	w.next(desk.Ended, second, "x")
}

// counting is an empty store that counts how often its rows are read.
type counting struct {
	store.Store
	changes chan struct{}
	reads   atomic.Int32
}

func (s *counting) Changes(context.Context, string) (<-chan struct{}, error) { return s.changes, nil }
func (s *counting) Revision(context.Context) (store.Revision, error)         { return store.Revision{}, nil }
func (s *counting) Rows(context.Context, store.Query) iter.Seq2[store.Row, error] {
	s.reads.Add(1)
	return func(func(store.Row, error) bool) {}
}

// A watcher leaves the asker time to take its answer, and reads once what happens at once.
func TestWatchSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &counting{changes: make(chan struct{}, 1)}
		_, err := desk.New(s, desk.Options{}).Watch(t.Context())
		fatal.If(t, err)
		synctest.Wait()
		before := s.reads.Load()
		for range 10 {
			select {
			case s.changes <- struct{}{}:
			default: // it is to look in any case
			}
			synctest.Wait()
			if s.reads.Load() != before {
				t.Fatal("it looked at once")
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := s.reads.Load() - before; got > 2 {
			t.Errorf("it read %d times what happened within 10 ms", got)
		}
	})
}
