//go:build unix

package shared_test

import (
	"testing"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store/storetest"
)

func TestContract(t *testing.T) {
	for name, n := range map[string]int{"one node": 1, "three nodes": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sharedtest.Start(t, n)
			storetest.Run(t, storetest.Without{Files: true, Prune: true}, func(t *testing.T) func() storetest.Process {
				c.Empty()
				return func() storetest.Process { return c.Open(nodes.Human, "alice") }
			})
		})
	}
}
