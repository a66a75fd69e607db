//go:build unix

package nats_test

import (
	"testing"

	"mcp-askuser/desk"
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
