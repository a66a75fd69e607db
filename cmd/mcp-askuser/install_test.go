//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/install"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/ui/words"
)

// Each client has a name for people, which README lists, and one for commands, which their help and
// the table of clients list.
func TestClientsAreNamed(t *testing.T) {
	for _, file := range []string{"../../README.md", "../../docs/clients.md", "texts/help/install.txt",
		"texts/help/uninstall.txt"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range install.Names() {
			if file == "../../README.md" {
				name = words.English.ClientName(name)
			}
			if !strings.Contains(string(text), name) {
				t.Errorf("%s does not name %s", file, name)
			}
		}
	}
}

// The list of clients in a terminal has all that are here ticked: Enter registers with them.
// A user who leaves the list, or unmarks all, registers with none.
func TestClientsAreTicked(t *testing.T) {
	for keys, want := range map[string]struct {
		status int
		files  int
	}{"\r": {0, 2}, "\x20\x1b[B\x20\r": {0, 0}, "\x03": {exitClosed, 0}} {
		home := t.TempDir()
		for _, dir := range []string{".cursor", ".gemini"} {
			if err := os.Mkdir(filepath.Join(home, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd := program(t, t.TempDir(), "install")
		cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=", "HOME="+home, "PATH="+home)
		s := &seat{Terminal: termtest.Start(t, cmd, 80, 24)}
		s.WaitFor("[•] Cursor")
		s.WaitFor("[•] Gemini")
		s.Type(keys)
		if status := s.Wait(); status != want.status {
			t.Errorf("%q: status %d: %s", keys, status, s.Output())
		}
		files := 0
		for _, file := range []string{".cursor/mcp.json", ".gemini/settings.json"} {
			data, err := os.ReadFile(filepath.Join(home, file))
			if err == nil && strings.Contains(string(data), "askuser") {
				files++
			}
		}
		none := strings.Contains(s.Output(), "othing was changed.")
		if files != want.files || none != (files == 0) {
			t.Errorf("%q: registered in %d files: %s", keys, files, s.Output())
		}
		s.left(t)
	}
}

// What a client asks in its own dialog is offered with its registration, and never taken
// unasked: neither line is ticked, whether or not the client is named.
func TestQuestionsAreOffered(t *testing.T) {
	for keys, want := range map[string][2]bool{"\r": {}, "\x1b[B\x20\r": {true, false},
		"\x1b[B\x1b[B\x20\r": {true, true}} {
		args := []string{"install"}
		if want[0] {
			args = append(args, "claude-code")
		}
		home := t.TempDir()
		if err := os.Mkdir(filepath.Join(home, ".claude"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := program(t, t.TempDir(), args...)
		cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=", "HOME="+home, "PATH="+home)
		s := &seat{Terminal: termtest.Start(t, cmd, 100, 24)}
		s.WaitFor("what Claude Code asks in its own dialog")
		s.Type(keys)
		status := s.Wait()
		settings, _ := os.ReadFile(filepath.Join(home, ".claude", "settings.json"))
		got := [2]bool{strings.Contains(string(settings), "hook claude-code"),
			strings.Contains(string(settings), "--permissions")}
		if status != 0 || got != want || !strings.Contains(s.Output(), "A question appears in the inbox") {
			t.Errorf("%q: status %d, %v, want %v: %s", keys, status, got, want, s.Output())
		}
		s.left(t)
	}
}
