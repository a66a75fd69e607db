//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
)

// In a small terminal the list of clients shows the line that the cursor is on. What a flag asks
// for is no line of it.
func TestClientsInASmallTerminal(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".claude", ".codex", ".cursor", ".gemini", ".copilot", ".kiro/settings", ".config/zed"} {
		err := os.MkdirAll(filepath.Join(home, dir), 0o755)
		fatal.If(t, err)
	}
	err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte("{}"), 0o600)
	fatal.If(t, err)
	list := func(status int, last string, args ...string) {
		t.Helper()
		cmd := program(t, t.TempDir(), append([]string{"install"}, args...)...)
		cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=", "HOME="+home, "PATH="+home)
		s := &seat{Terminal: termtest.Start(t, cmd, 40, 10)}
		s.WaitFor("> [•] Claude Code")
		s.Type(strings.Repeat("\x1b[B", 10))
		s.WaitFor(last)
		s.Type(map[int]string{0: "\r", exitClosed: "\x03"}[status])
		if got := s.Wait(); got != status {
			t.Errorf("status %d: %s", got, s.Output())
		}
		s.left(t)
	}
	list(exitClosed, "> [ ] Here, too: the permissions")
	list(0, "> [•] Kiro", "--questions")
	settings, _ := os.ReadFile(filepath.Join(home, ".claude", "settings.json"))
	if !strings.Contains(string(settings), "hook claude-code") {
		t.Errorf("%s", settings)
	}
}

// A client whose file is broken is not ticked: it would keep all others from being set up.
func TestBrokenClientIsNotTicked(t *testing.T) {
	home := t.TempDir()
	for dir, text := range map[string]string{".cursor": "{", ".kiro/settings": "{}"} {
		path := filepath.Join(home, dir, "mcp.json")
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		fatal.If(t, err)
	}
	cmd := program(t, t.TempDir(), "install")
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=", "HOME="+home, "PATH="+home)
	s := &seat{Terminal: termtest.Start(t, cmd, 80, 24)}
	s.WaitFor("[ ] Cursor – " + home[:5])
	s.WaitFor("[•] Kiro")
	s.Type("\r")
	status := s.Wait()
	data, _ := os.ReadFile(filepath.Join(home, ".kiro/settings/mcp.json"))
	if status != 0 || !strings.Contains(string(data), "askuser") {
		t.Errorf("status %d: %s", status, s.Output())
	}
	s.left(t)
}
