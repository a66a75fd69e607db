//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// mcpdo, the Inspector's client for scripts, shows the form's schema and takes
// the answer: as a request of ours in the older era (2025-11-25), as a round
// trip of the call in the newer one (2026-07-28).
func TestAnswersTheForm(t *testing.T) {
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			d := connect(t, era)

			id := d.ask()
			<-time.After(650 * time.Millisecond) // an accept within 600 ms is the host's own
			check(t, d.do("elicitation/respond", id, `{"q1":"MongoDB"}`), "answered", answered)

			id = d.ask()
			<-time.After(1100 * time.Millisecond) // a decline within the first second is the host's own
			check(t, d.do("elicitation/respond", id, "--decline"), "dismissed", dismissed)
		})
	}
}

// mcpdo is a connection to our server, kept by a daemon of the test's own.
type mcpdo struct{ *client }

// connect starts the server and speaks with it in this era. The daemon and the
// server end with the test.
func connect(t *testing.T, era string) mcpdo {
	t.Helper()
	d := mcpdo{inspector(t)}
	for line := range strings.Lines(string(d.output("mcpdo", "private"))) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if ok {
			d.env = append(d.env, name+"="+strings.Trim(value, "'"))
		}
	}
	t.Cleanup(func() { d.output("mcpdo", "daemon", "stop") })
	var connection struct{ ProtocolEra string }
	options := append(d.serverEnv(), "--era", era, "--", program, "serve")
	out := d.do("connect", options...)
	if err := json.Unmarshal(out, &connection); err != nil || connection.ProtocolEra != era {
		t.Fatalf("connected as %s (%v)", out, err)
	}
	return d
}

// do runs one command of mcpdo over the connection and returns what it
// printed.
func (d mcpdo) do(command string, args ...string) []byte {
	d.t.Helper()
	return d.output("mcpdo", slices.Concat([]string{"--format", "json", "--connection", "askuser", command}, args)...)
}

// ask calls the tool and returns the id of the form that the call waits for.
func (d mcpdo) ask() string {
	d.t.Helper()
	out := d.do("tools/call", "ask_user_question", `{"question":"Which database?","header":"Database","options":["PostgreSQL","MongoDB"]}`)
	var r struct {
		ElicitationPending struct{ ElicitationID string }
	}
	if err := json.Unmarshal(out, &r); err != nil || r.ElicitationPending.ElicitationID == "" {
		d.t.Fatalf("no form is pending: %v: %s", err, out)
	}
	return r.ElicitationPending.ElicitationID
}
