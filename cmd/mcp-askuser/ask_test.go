//go:build unix

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
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
