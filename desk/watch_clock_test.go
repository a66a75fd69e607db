package desk_test

import (
	"context"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
)

// A watcher whose clock is ahead of the asker's learns of a question that was asked and answered
// between two looks.
func TestWatchWithAnotherClock(t *testing.T) {
	dir := storeDir(t)
	ctx, stop := context.WithCancel(deadline(t))
	ahead := func() time.Time { return time.Now().Add(2 * time.Hour) }
	events, err := desk.New(openStore(t, dir), desk.Options{Now: ahead}).Watch(ctx)
	fatal.If(t, err)
	t.Cleanup(func() {
		stop()
		for range events {
		}
	})
	w, other := watched{t, events}, open(t, dir)
	first, second := ask(t, other), ask(t, other) // while no event is received the watcher does not look
	reply(t, other, second.ID, "x")
	w.next(desk.Asked, first, "")
	w.next(desk.Asked, second, "")
	w.next(desk.Ended, second, "x")
}
