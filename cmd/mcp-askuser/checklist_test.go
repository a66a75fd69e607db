//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/termtest"
)

// In a small terminal the list of clients shows the line that the cursor is on. What a flag asks
// for is no line of it.
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
