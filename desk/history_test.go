package desk_test

import (
	"context"
	"errors"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/storetest"
)

// A history that cannot be read whole is an error, never a shorter history.
func TestHistoryFails(t *testing.T) {
	store := &storetest.Faulty{Store: openSpool(t, storeDir(t))}
	d := desk.New(store, desk.Options{})
	for range 3 {
		rec := ask(t, d)
		if _, err := d.Close(context.Background(), rec.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
			t.Fatal(err)
		}
		if err := d.Archive(context.Background(), rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	fault := errors.New("too many open files")
	for step := 1; ; step++ {
		store.FailAt(step, fault, false)
		n, failed := 0, error(nil)
		for _, err := range d.History(context.Background(), desk.Query{}) {
			if err != nil {
				failed = err
				break
			}
			n++
		}
		if !store.Met() {
			break
		}
		if n != 3 && !errors.Is(failed, fault) {
			t.Errorf("step %d: %d records, %v", step, n, failed)
		}
	}
}
