//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
)

// chosen types keys into the list of clients that install shows on a terminal, in a home with these
// files, and returns the exit status and the output.
func chosen(t *testing.T, home, wait, keys string, args ...string) (status int, out string) {
	t.Helper()
	cmd := program(t, t.TempDir(), append([]string{"install"}, args...)...)
	cmd.Env = append(cmd.Env, "HOME="+home, "PATH="+home)
	s := seated(t, 100, 24, cmd)
	s.WaitFor(wait)
	s.Type(keys)
	status = s.Wait()
	s.left(t)
	return status, s.Output()
}

// contains tells whether a file has a text.
func contains(file, text string) bool {
	data, err := os.ReadFile(file)
	return err == nil && strings.Contains(string(data), text)
}

// The list of clients in a terminal has all that are here ticked: Enter registers with them.
// A user who leaves the list, or unmarks all, registers with none.
func TestClientsAreTicked(t *testing.T) {
	for keys, want := range map[string]struct {
		status int
		both   bool
	}{"\r": {0, true}, "\x20\x1b[B\x20\r": {0, false}, "\x03": {exitClosed, false}} {
		home := t.TempDir()
		for _, dir := range []string{".cursor", ".gemini"} {
			fatal.If(t, os.Mkdir(filepath.Join(home, dir), 0o755))
		}
		status, out := chosen(t, home, "[•] Gemini", keys)
		for _, file := range []string{".cursor/mcp.json", ".gemini/settings.json"} {
			if contains(filepath.Join(home, file), "askuser") != want.both {
				t.Errorf("%q: registered in %s: %v", keys, file, !want.both)
			}
		}
		if status != want.status || strings.Contains(out, "othing was changed.") == want.both {
			t.Errorf("%q: status %d: %s", keys, status, out)
		}
	}
}

// What a client asks in its own dialog is offered with its registration, and never taken
// unasked: neither line is ticked, whether or not the client is named.
func TestQuestionsAreOffered(t *testing.T) {
	for keys, want := range map[string][2]bool{
		"\r": {}, "\x1b[B\x20\r": {true, false}, "\x1b[B\x1b[B\x20\r": {true, true},
	} {
		home := t.TempDir()
		fatal.If(t, os.Mkdir(filepath.Join(home, ".claude"), 0o755))
		fatal.If(t, os.WriteFile(filepath.Join(home, ".claude.json"), []byte("{}"), 0o600))
		var args []string
		if want[0] {
			args = []string{"claude-code"}
		}
		status, out := chosen(t, home, "what Claude Code asks in its own dialog", keys, args...)
		settings := filepath.Join(home, ".claude", "settings.json")
		got := [2]bool{contains(settings, "hook claude-code"), contains(settings, "--permissions")}
		if status != 0 || got != want || !strings.Contains(out, "A question appears in the inbox") {
			t.Errorf("%q: status %d, %v, want %v: %s", keys, status, got, want, out)
		}
	}
}
