//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What install prints of a project is text: the name of its
// directory, its files, and what already is in them.
func TestInstallPrintsText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop\x1b[2J")
	for file, text := range map[string]string{
		".cursor/mcp.json":      `{"mcpServers": {"askuser": {"command": "old\u009b31m\u202e"}}}`,
		".claude/settings.json": "{\"a\": \"\u009b2J\"}",
	} {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"install", "cursor", "--project", "--dry-run"},
		{"install", "--project"},
		{"install", "claude-code", "--questions", "--project", "--dry-run"},
	} {
		cmd := program(t, t.TempDir(), args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil || len(out) == 0 || strings.ContainsAny(string(out), "\x1b\u009b\u202e") {
			t.Errorf("%q: %v, %q", args, err, out)
		}
	}
}
