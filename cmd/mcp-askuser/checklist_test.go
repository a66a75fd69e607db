//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/termtest"
)

// In a small terminal the list of clients shows the line that the cursor is on, and a flag has its
// line ticked.
func TestClientsInASmallTerminal(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".claude", ".codex", ".cursor", ".gemini", ".copilot", ".kiro/settings", ".config/zed"} {
		err := os.MkdirAll(filepath.Join(home, dir), 0o755)
		if err != nil {
			t.Fatal(err)
		}
	}
	err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte("{}"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := program(t, t.TempDir(), "install", "--questions")
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=", "HOME="+home, "PATH="+home)
	s := &seat{Terminal: termtest.Start(t, cmd, 40, 10)}
	s.WaitFor("> [•] Claude Code")
	s.Type(strings.Repeat("\x1b[B", 7))
	s.WaitFor("> [•] Here, too: what Claude Code ask…")
	s.Type("\x1b[B")
	s.WaitFor("> [ ] Here, too: the permissions")
	s.Type("\r")
	status := s.Wait()
	settings, _ := os.ReadFile(filepath.Join(home, ".claude", "settings.json"))
	if status != 0 || !strings.Contains(string(settings), "hook claude-code") {
		t.Errorf("status %d, %s: %s", status, settings, s.Output())
	}
	s.left(t)
}
