package desk_test

import (
	"errors"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
)

// A list without what a shared desk has that does not answer is known to be one.
func TestListWhileTheDeskIsAway(t *testing.T) {
	s := &desktest.Faulty{Store: openStore(t, storeDir(t))}
	d := desk.New(s, desk.Options{})
	ask(t, d)
	for _, want := range []error{desk.ErrUnreachable, nil} {
		s.FailRows(1, want)
		open, err := d.Pending(t.Context())
		if err != nil || len(open) != 1 || !errors.Is(d.Away(), want) {
			t.Errorf("%d questions, %v; the desk is away: %v", len(open), err, d.Away())
		}
	}
}
