//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
)

// A program that go run has built is not registered with a client: it is removed when it ends.
func TestGoRunIsNotRegistered(t *testing.T) {
	dir, home := filepath.Join(t.TempDir(), "go-build1", "b001", "exe"), t.TempDir()
	cmd := program(t, t.TempDir(), "install", "codex")
	data, err := os.ReadFile(cmd.Path)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		cmd.Path = filepath.Join(dir, "mcp-askuser")
		err = os.WriteFile(cmd.Path, data, 0o755)
	}
	fatal.If(t, err)
	cmd.Args[0], cmd.Env = cmd.Path, append(cmd.Env, "HOME="+home)
	out, err := cmd.CombinedOutput()
	left, _ := os.ReadDir(home)
	if exitStatus(err) != exitBad || !strings.Contains(string(out), "go install") || len(left) > 0 {
		t.Errorf("%v, %s, %v", err, out, left)
	}
}
