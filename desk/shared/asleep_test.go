//go:build unix

package shared_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// A process that was stopped, or whose machine sleeps, holds up no other: within the two seconds
// in which a desk is to answer, others list its question, as one that it waits for, and ask the
// same.
func TestAsleep(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	bot, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "alice")
	asked := storetest.NewRow("Awake?")
	asked.Content = "same"
	row, err := bot.Ask(t.Context(), asked)
	fatal.If(t, err)
	asleep := c.Connect(nodes.Agent, "bot", make(chan error, 10)) // it listens, and is silent
	_, err = asleep.SubscribeSync("alive.bot.asleep")
	fatal.If(t, err)
	ack, err := asleep.Request("_R_.ask.r.bot."+row.ID+".h", []byte("bot.asleep"), sharedtest.Patience)
	if err != nil || strings.Contains(string(ack.Data), "error") {
		t.Fatal(ack, err)
	}
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
	again := storetest.NewRow("Awake?")
	again.Content = "same"
	got, err := bot.Ask(inTime(), again)
	if err != nil || got.ID != again.ID {
		t.Errorf("asked again: %s after %s, %v", got.ID, row.ID, err)
	}
}

// Neither does an inbox on a machine that sleeps.
func TestInboxAsleep(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	asleep := c.Connect(nodes.Human, "alice", make(chan error, 10))
	_, err := asleep.SubscribeSync("present.*")
	fatal.If(t, err)
	fatal.If(t, asleep.Flush())
	bot := c.Open(nodes.Agent, "bot")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	names, err := bot.Present(ctx)
	if err != nil || len(names) > 0 {
		t.Errorf("present are %q, %v", names, err)
	}
}
