package desk_test

import (
	"testing"
	"time"

	"mcp-askuser/desk"
)

// A question that is reopened after the clock was set back is found by its old ticket.
func TestReopenedAfterTheClockWasSetBack(t *testing.T) {
	dir := storeDir(t)
	first := ask(t, open(t, dir))
	reply(t, open(t, dir), first.ID, "yes")
	earlier := func() time.Time { return time.Now().Add(-time.Hour) }
	back := desk.New(openStore(t, dir), desk.Options{Now: earlier})
	again := must(back.Reopen(t.Context(), first.ID))
	latest := must(back.Latest(t.Context(), first.ID))
	if latest.ID != again.ID {
		t.Errorf("its ticket leads to %s (%s), not to %s", latest.ID, latest.State, again.ID)
	}
}
