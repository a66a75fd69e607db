//go:build unix

package main

import (
	"strings"
	"testing"
)

// On a machine without a terminal and a desktop, the user can open an inbox later, and doctor
// reports no fault. In a CI job there is no user, and doctor reports one.
func TestDoctorWithoutTerminal(t *testing.T) {
	t.Parallel()
	for ci, want := range map[string]struct {
		status int
		says   string
	}{
		"": {0, "ok     inbox: none is open; a question waits until you open one, and the agent says how\n         → " +
			"keep mcp-askuser inbox open"},
		"1": {exitBad, "wrong  web: this is a CI job\n         → keep mcp-askuser inbox open"},
	} {
		cmd := program(t, t.TempDir(), "doctor")
		cmd.Env = append(cmd.Env, "HOME="+t.TempDir(), "CI="+ci, "DISPLAY=", "WAYLAND_DISPLAY=", "TMUX=", "STY=", "ZELLIJ=")
		out, err := cmd.Output()
		if exitStatus(err) != want.status || !strings.Contains(string(out), want.says) {
			t.Errorf("CI=%s: status %d, %v\n%s", ci, exitStatus(err), err, out)
		}
	}
}
