package nats_test

import (
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/storetest"
)

// The leader is cut off from the others, while half of the callers still talk
// to it: nobody is first there.
func TestRacesWhileTheLeaderIsCutOff(t *testing.T) {
	if short() {
		t.Skip("makes networks; make fleet runs it")
	}
	c := natstest.StartApart(t)
	race(t, c, rounds(), 2, func() {
		leader := c.Leader()
		mend := c.Cut(leader)
		c.AwaitOther(leader)
		mend()
	})
}

// A node that was cut off, and leads no more, does not say that there is no question which
// the others have stored since: its client reads it from another node.
func TestReadWhileTheLeaderIsCutOff(t *testing.T) {
	if short() {
		t.Skip("makes networks; make fleet runs it")
	}
	c := natstest.StartApart(t)
	leader := c.Leader()
	inside := c.OpenAt(leader, natstest.Account, nodes.Human, "alice")
	outside := c.OpenAt((leader+1)%len(c.Nodes), natstest.Account, nodes.Agent, "bot")
	defer c.Cut(leader)()
	c.AwaitOther(leader)
	id := storetest.Own(t, outside, storetest.ID(2026, 11, 1))
	if err := outside.Create(t.Context(), desk.KindPending, id, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	data, err := inside.Get(t.Context(), desk.KindPending, id)
	t.Logf("read after %s", time.Since(began).Round(time.Millisecond))
	if err != nil || string(data) != "{}" {
		t.Errorf("%s, %v", data, err)
	}
}
