package askuser

import (
	"testing"
	"time"
)

// How long a call waits, by host.
func TestHoldByHost(t *testing.T) {
	for _, tc := range []struct {
		client         string
		form, progress bool
		want           time.Duration
	}{
		{"claude-code", false, true, 110 * time.Second},
		{"claude-code", true, true, 24 * time.Hour},
		{"codex-mcp-client", false, true, 280 * time.Second},
		{"codex-mcp-client", true, false, 24 * time.Hour},
		{"gemini-cli-mcp-client", false, true, 570 * time.Second},
		{"copilot-cli", false, false, 50 * time.Second},
		{"copilot-cli", false, true, 24 * time.Hour},
		{"opencode", false, false, 50 * time.Second},
		{"opencode", false, true, 24 * time.Hour},
		{"Visual Studio Code", false, true, 50 * time.Second},
		{"Visual Studio Code", true, true, 24 * time.Hour},
		{"somebody", false, true, 50 * time.Second},
		{"somebody", true, true, 50 * time.Second},
		{"", false, false, 50 * time.Second},
	} {
		if got := hostOf(tc.client).callLimit(tc.form, tc.progress); got != tc.want {
			t.Errorf("%q, form %v, progress %v: %s, want %s", tc.client, tc.form, tc.progress, got, tc.want)
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

// Codex cannot show a choice of several, and hides the whole form behind an
// "allow?" when it is sent one.
func TestArraysByHost(t *testing.T) {
	for _, tc := range []struct {
		client, version string
		want            bool
	}{
		{"claude-code", "2026-07-28", true},
		{"claude-code", "2025-11-25", true},
		{"codex-mcp-client", "2025-11-25", false},
		{"somebody", "2025-06-18", false},
		{"somebody", "2025-11-25", true},
	} {
		c := call{host: hostOf(tc.client), client: Client{ProtocolVersion: tc.version}}
		if got := c.style().Arrays; got != tc.want {
			t.Errorf("%s on %s: %v", tc.client, tc.version, got)
		}
	}
}
