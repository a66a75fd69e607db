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

// A desk that would lose answers is not as needed.
func TestStatusOfAForgetfulDesk(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	alice, operator := c.Open(nodes.Human, "alice"), c.Connect(nodes.Operator, "", make(chan error, 10))
	for name, change := range map[string]func(*nats.StreamConfig){
		"age":   func(is *nats.StreamConfig) { is.MaxAge = time.Hour },
		"count": func(is *nats.StreamConfig) { is.MaxMsgs = 1000 },
		"size":  func(is *nats.StreamConfig) { is.MaxBytes = 1 << 20 },
	} {
		config := shared.Config(1)
		change(&config)
		data, err := json.Marshal(config)
		fatal.If(t, err)
		m, err := operator.Request("$JS.API.STREAM.UPDATE.ASK", data, sharedtest.Patience)
		if err != nil || strings.Contains(string(m.Data), `"error"`) {
			t.Fatalf("%s: %v, %v", name, m, err)
		}
		st, err := alice.Status(t.Context())
		if err != nil || st.AsNeeded {
			t.Errorf("limited by %s it is as needed, %v", name, err)
		}
	}
}
