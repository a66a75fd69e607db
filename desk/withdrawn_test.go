package desk_test

import (
	"context"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
)

// A caller that withdraws its question while that is stored learns its id: a store elsewhere may
// have it by then, and would keep it before the user for a day.
func TestWithdrawnWhileItIsStored(t *testing.T) {
	ctx, withdraw := context.WithCancel(t.Context())
	f := &desktest.Faulty{Store: desktest.Store(t, storeDir(t))}
	d := desk.New(f, desk.Options{})
	f.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method == "Ask" {
			withdraw()
		}
		return nil
	})
	rec, attendance, err := d.Submit(ctx, desk.Request{Asker: asker, Set: set()})
	fatal.If(t, err)
	attendance.Release()
	must(d.Close(ctx, rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "withdrawn"}))
}
