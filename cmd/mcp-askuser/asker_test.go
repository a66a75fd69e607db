package main

import (
	"testing"

	"mcp-askuser/internal/proc"
)

// The session is that of what lasts: a terminal's shell or an agent, not what they start for
// one command.
func TestShell(t *testing.T) {
	processes := map[int]proc.Process{
		1:  {Parent: 0, Session: 1, Started: "0", Args: []string{"/sbin/init"}},
		10: {Parent: 1, Session: 10, Started: "5", Args: []string{"-bash"}},
		20: {Parent: 10, Session: 10, Started: "7", Args: []string{"node", "agent"}},
		30: {Parent: 20, Session: 30, Started: "9", Args: []string{"/bin/bash", "-c", "mcp-askuser ask …"}},
		31: {Parent: 30, Session: 30, Started: "9", Args: []string{"mcp-askuser", "ask"}},
		40: {Parent: 20, Session: 40, Started: "9", Args: []string{"mcp-askuser", "ask"}},
		50: {Parent: 10, Session: 10, Started: "8", Args: []string{"mcp-askuser", "ask"}},
		60: {Parent: 1, Session: 59, Started: "8", Args: []string{"mcp-askuser", "ask"}}, // its leader has ended
	}
	look := func(pid int) (proc.Process, bool) { p, ok := processes[pid]; return p, ok }
	for self, want := range map[int]int{50: 10, 31: 10, 40: 10, 60: 1, 70: 0} {
		if got, ok := shell(self, look); got.Session != want || ok != (want > 0) {
			t.Errorf("the session of %d is %d, %v, want %d", self, got.Session, ok, want)
		}
	}
}
