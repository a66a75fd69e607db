//go:build unix

package nats_test

import (
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/storetest"
)

func TestStoreOnOneNode(t *testing.T) { testStore(t, 1) }

func TestStoreOnThreeNodes(t *testing.T) {
	if short() {
		t.Skip("half a minute; make fleet runs it")
	}
	testStore(t, 3)
}

// testStore runs the contract; each of its tests has nodes of its own account
// emptied before it.
func testStore(t *testing.T, n int) {
	c := natstest.Start(t, n)
	storetest.Run(t, func(t *testing.T) desk.Store {
		c.Empty(natstest.Account)
		return c.Open(natstest.Account, nodes.Human, "alice")
	})
}

// One who takes a lock before the first node answers waits for it, as for a read.
func TestTakingBeforeANodeAnswers(t *testing.T) {
	c := natstest.Start(t, 1)
	c.Kill(0)
	one := c.Open(natstest.Account, nodes.Human, "alice")
	took := make(chan error, 1)
	go func() {
		release, err := one.Lock(t.Context(), desk.KindPresent, "inbox-1")
		if err == nil {
			release()
		}
		took <- err
	}()
	c.Restart(0)
	if err := <-took; err != nil {
		t.Error(err)
	}
}

// One who takes a lock has it, though the connection came back in the middle of
// it, when the lock of the one before still stood there.
func TestTakingWhileTheConnectionComesBack(t *testing.T) {
	c := natstest.Start(t, 1)
	before, one := c.Open(natstest.Account, nodes.Human, "alice"), c.Open(natstest.Account, nodes.Human, "alice")
	release, err := before.Lock(t.Context(), desk.KindPresent, "inbox-1")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if !nats.StillTakes(one, desk.KindPresent, "inbox-1") {
		t.Error("the lock is nobody's")
	}
}
