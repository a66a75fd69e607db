//go:build unix

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/proc"
	"mcp-askuser/question"
)

// fullDevice returns a file to which no byte can be written.
func fullDevice(t *testing.T) *os.File {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = full.Close() })
	return full
}

// closedPipe returns a pipe without a reader.
func closedPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	fatal.If(t, err)
	_ = r.Close()
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// An answer that could not be printed is not lost: the program says so, and the next call that
// asks the same gets it.
func TestUnprintedAnswerIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		option string
		stdout func(*testing.T) *os.File
		says   string
		out    string
	}{
		"ask, to a full device": {[]string{"ask", "--session", "s", askDefault}, "yes", fullDevice,
			"no space left on device", `{"answers":{"Go on?":"Yes"}}`},
		"confirm, to a closed pipe": {[]string{"confirm", "--session", "s", "Go on?"}, question.YesID, closedPipe,
			"broken pipe", "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDesk(t, dir)
			args := append(append([]string{}, tc.args...), "--surface", "inbox")
			cmd := program(t, dir, args...)
			cmd.Stdout = tc.stdout(t)
			var words bytes.Buffer
			cmd.Stderr = &words
			fatal.If(t, cmd.Start())
			say(t, d, openRecord(t, d).ID, tc.option)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != exitBad {
				t.Errorf("%v, want exit status %d", cmd.ProcessState, exitBad)
			}
			if !strings.Contains(words.String(), tc.says) || !strings.Contains(words.String(), "ask the same again") {
				t.Errorf("says %q", words.String())
			}

			out, err := program(t, dir, append(args, "--timeout", "10s")...).Output()
			if err != nil || strings.TrimSpace(string(out)) != tc.out {
				t.Errorf("asked again: %v, %s", err, out)
			}
		})
	}
}

// Every command that prints reports a write that failed, but not that its reader, such as
// head(1), has enough.
func TestWritesAreChecked(t *testing.T) {
	dir := t.TempDir()
	asking(t, openDesk(t, dir), "Go on?")
	for _, line := range []string{"pending", "events --since 1h"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			cmd := program(t, dir, strings.Fields(line)...)
			cmd.Stdout = fullDevice(t)
			var words bytes.Buffer
			cmd.Stderr = &words
			status := exitStatus(cmd.Run())
			if status != exitBad || !strings.Contains(words.String(), "no space left on device") {
				t.Errorf("exit status %d: %s", status, words.String())
			}
			unread := program(t, dir, strings.Fields(line)...)
			unread.Stdout = closedPipe(t)
			words.Reset()
			unread.Stderr = &words
			status = exitStatus(unread.Run())
			if status != exitUnread || words.Len() > 0 {
				t.Errorf("exit status %d without a reader: %s", status, words.String())
			}
		})
	}
}

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
