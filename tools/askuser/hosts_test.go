package askuser

import (
	"testing"
	"time"
)

// How long a call waits, by host: with neither form nor progress, with progress, with both; and
// over HTTP, where it is held for as long as its host was seen to wait there, no longer than
// over any transport.
func TestHoldByHost(t *testing.T) {
	const second, day = time.Second, 24 * time.Hour
	for client, want := range map[string][5]time.Duration{
		"claude-code":           {110 * second, 110 * second, day, 110 * second, 9 * time.Minute},
		"codex-mcp-client":      {280 * second, 280 * second, day, 280 * second, 280 * second},
		"gemini-cli-mcp-client": {570 * second, 570 * second, 570 * second, 570 * second, 570 * second},
		"copilot-cli":           {50 * second, day, day, 45 * second, 45 * second},
		"opencode":              {50 * second, day, day, 50 * second, 10 * time.Minute},
		"Visual Studio Code":    {50 * second, 50 * second, day, 45 * second, 45 * second},
		"cursor":                {50 * second, 50 * second, 50 * second, 45 * second, 45 * second},
		"something new":         {50 * second, 50 * second, 50 * second, 45 * second, 45 * second},
		"":                      {50 * second, 50 * second, 50 * second, 45 * second, 45 * second},
	} {
		h := hostOf(client)
		over := h.overHTTP()
		got := [5]time.Duration{h.callLimit(false, false), h.callLimit(false, true), h.callLimit(true, true), over.callLimit(false, false), over.callLimit(true, true)}
		if got != want {
			t.Errorf("%q: %v, want %v", client, got, want)
		}
	}
}

// A call in Claude Code waits until shortly before it would go to the background, which its
// user can move or switch off; no other host has the variable.
func TestBackgroundMoved(t *testing.T) {
	for _, tc := range []struct {
		client, value string
		want          time.Duration
	}{
		{"claude-code", "", 110 * time.Second},
		{"claude-code", "600000", 590 * time.Second},
		{"claude-code", "5000", time.Second},
		{"claude-code", "0", 24 * time.Hour},
		{"claude-code", "-1", 110 * time.Second},
		{"claude-code", "ten minutes", 110 * time.Second},
		{"codex-mcp-client", "600000", 280 * time.Second},
	} {
		if got := hostOf(tc.client).movingAfter(tc.value).callLimit(false, true); got != tc.want {
			t.Errorf("%s with %q: %s, want %s", tc.client, tc.value, got, tc.want)
		}
	}
}
