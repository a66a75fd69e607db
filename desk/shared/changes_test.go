//go:build unix

package shared_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// A process that reads what has changed, again and again, misses no row, however many change meanwhile.
func readsAllChanges(t *testing.T, c *sharedtest.Cluster) {
	bot, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "alice")
	busy := storetest.Ask(t, bot, "Busy?")
	first := busy.Revision
	flood, end := context.WithCancel(t.Context())
	go func() {
		defer end()
		for i := range 150 {
			storetest.Ask(t, bot, fmt.Sprint(i))
		}
	}()
	go func() {
		for n := 0; flood.Err() == nil; n++ {
			_ = alice.Note(flood, busy.ID, store.Draft, func([]byte) ([]byte, error) { return fmt.Append(nil, n), nil })
		}
	}()
	seen := map[string]bool{}
	for last, more := first, true; more; {
		more = flood.Err() == nil
		for row, err := range alice.Rows(t.Context(), store.Query{After: last}) {
			fatal.If(t, err)
			seen[row.ID], last = true, last.Max(row.Revision)
		}
	}
	missed := slices.DeleteFunc(idsOf(t, alice, store.Query{}), func(id string) bool { return seen[id] })
	if len(missed) > 0 {
		t.Errorf("%d rows are missed", len(missed))
	}
}
