//go:build unix

package shared_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/internal/fatal"
)

// A desk that would lose answers, or refuse what is long, is not as needed, and one that answers, and
// stores nothing, as where its disk is full, is not ready.
func changedDesk(t *testing.T, c *sharedtest.Cluster) {
	alice, bot := c.Open(nodes.Human, "alice"), c.Open(nodes.Agent, "bot")
	operator := c.Connect(nodes.Operator, "", make(chan error, 10))
	for name, s := range map[string]*shared.Store{"alice": alice, "bot": bot} {
		st, err := s.Status(t.Context())
		if err != nil || !st.Stores {
			t.Errorf("for %s it stores nothing, %v", name, err)
		}
	}
	for name, tc := range map[string]struct {
		change           func(*nats.StreamConfig)
		asNeeded, stores bool
	}{
		"age":               {func(is *nats.StreamConfig) { is.MaxAge = time.Hour }, false, true},
		"count":             {func(is *nats.StreamConfig) { is.MaxMsgs = 1000 }, false, true},
		"size":              {func(is *nats.StreamConfig) { is.MaxBytes = 1 << 20 }, false, true},
		"size of a message": {func(is *nats.StreamConfig) { is.MaxMsgSize = 1 }, false, false},
	} {
		config := shared.Config(1)
		tc.change(&config)
		data, err := json.Marshal(config)
		fatal.If(t, err)
		m, err := operator.Request("$JS.API.STREAM.UPDATE.ASK", data, sharedtest.Patience)
		if err != nil || strings.Contains(string(m.Data), `"error"`) {
			t.Fatalf("%s: %v, %v", name, m, err)
		}
		st, err := alice.Status(t.Context())
		if err != nil || st.AsNeeded != tc.asNeeded || st.Stores != tc.stores {
			t.Errorf("limited by %s: %+v, %v", name, st, err)
		}
	}
}
