//go:build unix

package shared_test

import (
	"encoding/json"
	"testing"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/internal/fatal"
)

// A desk that answers, and stores nothing, is no desk that is ready: so is one whose disk is full.
func TestStatusOfADeskThatStoresNothing(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	stores := map[string]*shared.Store{"alice": c.Open(nodes.Human, "alice"), "bot": c.Open(nodes.Agent, "bot")}
	for name, s := range stores {
		st, err := s.Status(t.Context())
		if err != nil || !st.Stores {
			t.Errorf("for %s it stores nothing, %v", name, err)
		}
	}
	config := shared.Config(1)
	config.MaxMsgSize = 1
	data, err := json.Marshal(config)
	fatal.If(t, err)
	operator := c.Connect(nodes.Operator, "", make(chan error, 10))
	_, err = operator.Request("$JS.API.STREAM.UPDATE.ASK", data, sharedtest.Patience)
	fatal.If(t, err)
	st, err := c.Open(nodes.Human, "alice").Status(t.Context())
	if err != nil || st.Stores {
		t.Errorf("it stores, %v", err)
	}
}
