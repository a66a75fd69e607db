package desk_test

import (
	"context"
	"fmt"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
)

// deaf is a shared desk that stores outcomes, and whose acknowledgements are lost.
type deaf struct{ store.Store }

func (s deaf) Answer(ctx context.Context, id string, end store.Ending) error {
	err := s.Store.Answer(ctx, id, end)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: the connection was lost", store.ErrUnreachable)
}

// An answer whose acknowledgement was lost is sent: the record is returned with it.
func TestLostAcknowledgement(t *testing.T) {
	d := desk.New(deaf{openStore(t, storeDir(t))}, desk.Options{})
	rec, attendance := submit(t, d, request("Sent?"))
	defer attendance.Release()
	got, err := d.Reply(t.Context(), rec.ID, says("yes"), byPage)
	if err != nil || text(got) != "yes" {
		t.Errorf("sent: %q, %v", text(got), err)
	}
}
