package home_test

import (
	"os"
	"testing"

	"mcp-askuser/desk/nats/natstest"
)

// The same for a node that is cut off from the others, and not from its clients.
func TestFailoverCutOff(t *testing.T) {
	if os.Getenv("RACE_ROUNDS") == "" {
		t.Skip("makes networks; make fleet runs it")
	}
	c := natstest.StartApart(t)
	failover(t, c, "cut off", c.Cut)
}
