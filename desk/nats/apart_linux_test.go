package nats_test

import (
	"testing"

	"mcp-askuser/desk/nats/natstest"
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
