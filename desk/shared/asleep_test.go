//go:build unix

package shared_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"testing"
	"time"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// A process that was stopped, or whose machine sleeps, holds up no other: within the two seconds
// in which a desk is to answer, others list its question, as one that it waits for, ask the same,
// and learn which inboxes are open.
func asleep(t *testing.T, c *sharedtest.Cluster) {
	bot, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "alice")
	row, again := storetest.NewRow("Awake?"), storetest.NewRow("Awake?")
	row.Content, again.Content = "same", "same"
	_, err := bot.Ask(t.Context(), row)
	fatal.If(t, err)
	asleep := c.Connect(nodes.Agent, "bot", make(chan error, 10)) // it listens, and is silent
	_, err = asleep.SubscribeSync("alive.bot.asleep")
	fatal.If(t, err)
	publish(t, asleep, "_R_.ask.r.bot."+row.ID+".h", "bot.asleep")
	inbox := c.Connect(nodes.Human, "alice", make(chan error, 10))
	_, err = inbox.SubscribeSync("present.*")
	fatal.If(t, err)
	fatal.If(t, inbox.Flush())
	inTime := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		t.Cleanup(cancel)
		return ctx
	}
	listed := 0
	for got, err := range alice.Rows(inTime(), store.Query{Open: true}) {
		if err != nil {
			t.Fatalf("listing: %v", err)
		}
		listed++
		if got.ID != row.ID || !got.Attended {
			t.Errorf("%s is attended: %t", got.ID, got.Attended)
		}
	}
	if listed != 1 {
		t.Errorf("%d are listed", listed)
	}
	got, err := bot.Ask(inTime(), again)
	if err != nil || got.ID != again.ID {
		t.Errorf("asked again: %s after %s, %v", got.ID, row.ID, err)
	}
	names, err := bot.Present(inTime(), "")
	if err != nil || len(names) > 0 {
		t.Errorf("present are %q, %v", names, err)
	}
	c.Stop(0)
	defer c.Continue(0)
	late, cancel := context.WithTimeoutCause(t.Context(), 4*time.Second, store.ErrUnreachable)
	defer cancel()
	names, err = bot.Present(late, "")
	if !errors.Is(err, store.ErrUnreachable) {
		t.Errorf("present on a node that is stopped are %q, %v", names, err)
	}
}

// A call that leaves while the desk does not answer has left: this process attends the row no more,
// and does so again for the call that returns.
func releasedAway(t *testing.T, c *sharedtest.Cluster) {
	bot, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "alice")
	row := storetest.Ask(t, bot, "Left?")
	c.Stop(0)
	within, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, store.ErrUnreachable)
	defer cancel()
	err := bot.Release(within, row.ID)
	c.Continue(0)
	storetest.Wants(t, err, store.ErrUnreachable)
	for _, attended := range []bool{false, true} {
		got, err := alice.Get(t.Context(), row.ID)
		if err != nil || got.Attended != attended {
			t.Errorf("attended: %t, want %t; %v", got.Attended, attended, err)
		}
		_, err = bot.Attend(t.Context(), row.ID)
		if !attended {
			fatal.If(t, err)
		}
	}
}

// Calls that give up on a desk that does not answer leave no attempts behind that queue up, for
// as long as it is away.
func TestAttemptsDoNotQueueUp(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	fatal.If(t, err)
	defer func() { _ = silent.Close() }()
	s, err := shared.Open(shared.Options{URL: silent.Addr().String()})
	fatal.If(t, err)
	defer func() { _ = s.Close() }()
	const calls = 100
	before := runtime.NumGoroutine()
	for range calls {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, err = s.Get(ctx, "x")
		cancel()
		if err == nil {
			t.Fatal("it answers")
		}
	}
	if left := runtime.NumGoroutine() - before; left > calls/4 {
		t.Errorf("%d calls have left %d goroutines", calls, left)
	}
}
