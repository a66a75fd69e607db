package ntfy

import (
	"context"
	"testing"
	"time"

	"mcp-askuser/internal/ntfytest"
)

// A press whose answer could not be stored before the subscription ended comes again with the next
// one.
func TestUnstoredAnswerComesAgain(t *testing.T) {
	s, d := ntfytest.New(t, ""), openDesk(t)
	p := phone(t, d, s.URL, nil)
	end := notify(t, p, ask(t, d, choice("A", "B")))
	m := s.Await(t, topic, ntfytest.Titled)
	end()
	ntfytest.Press(t, m, 1)
	ctx, silence := context.WithCancel(t.Context())
	taken := ""
	_ = p.subscribe(ctx, func(_ context.Context, token string, _ time.Time) {
		taken = token
		silence()
	})
	if taken == "" || p.since != "all" {
		t.Errorf("received %q, and would go on after %q", taken, p.since)
	}
}
