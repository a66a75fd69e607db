package desk_test

import (
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
)

// A question that is taken over has the time of the request that takes it over: its surfaces
// show that.
func TestTakenOverWithAnotherTimeout(t *testing.T) {
	d := desk.New(desktest.Store(t, t.TempDir()), desk.Options{})
	r := request("Which?")
	first, attendance := submit(t, d, r)
	attendance.Release()
	r.Timeout = time.Hour
	again, _ := submit(t, d, r)
	at, limited := d.Deadline(t.Context(), again)
	if again.ID != first.ID || !limited || time.Until(at) > time.Hour {
		t.Errorf("%s with the deadline %v, want %s", again.ID, at, first.ID)
	}
}
