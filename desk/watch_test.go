package desk_test

import (
	"context"
	"fmt"
	"testing"

	"mcp-askuser/desk"
)

func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(deadline(t))
	dir := storeDir(t)
	watching, other := open(t, dir), open(t, dir)
	before := ask(t, other)
	closed := ask(t, other)
	if _, err := other.Reply(ctx, closed.ID, says("x"), byPage); err != nil {
		t.Fatal(err)
	}

	events, err := watching.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	first, second := ask(t, other), ask(t, watching)
	for i, rec := range []desk.Record{second, before, first} {
		if _, err := other.Reply(ctx, rec.ID, says(fmt.Sprint(i)), byPage); err != nil {
			t.Fatal(err)
		}
	}
	// Cleaning up is no event.
	for _, rec := range []desk.Record{closed, before, first} {
		if err := other.Delivered(ctx, rec.ID); err != nil {
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
