//go:build unix

package main

import (
	"bufio"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
)

func TestSince(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.FixedZone("X", 3600))
	for _, tc := range []struct{ text, want string }{
		{"", "0001-01-01T00:00:00Z"},
		{"90", "2026-11-21T11:58:30+01:00"},
		{"2h", "2026-11-21T10:00:00+01:00"},
		{"2026-11-01", "2026-11-01T00:00:00+01:00"},
		{"2026-11-01T08:30:00Z", "2026-11-01T08:30:00Z"},
		{"yesterday", ""},
		{"-2h", ""},
	} {
		got, ok := parseSince(tc.text, now)
		if ok != (tc.want != "") || ok && got.Format(time.RFC3339) != tc.want {
			t.Errorf("%q: got %v, %v", tc.text, got, ok)
		}
	}
}

// The command ends with its reader, as in a pipe to head, and not with the next event.
func TestEventsEndWithTheirReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asking(t, openDesk(t, dir), "Go on?")
	cmd := program(t, dir, "events", "--since", "1h")
	out, err := cmd.StdoutPipe()
	fatal.If(t, err)
	fatal.If(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	_ = out.Close()
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != exitUnread {
		t.Errorf("exit status %d", status)
	}
}
