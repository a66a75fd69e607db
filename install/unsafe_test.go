package install

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
)

// An entry that is left in a file is reported: it is written twice, or in a form that is not
// changed.
func TestTakeRefuses(t *testing.T) {
	for in, f := range map[string]*format{
		`{"a": {"b": 1, "b": 2}}`: jsonFile, `{"a": {"b": 1}, "a": {"b": 2}}`: jsonFile, "a = {b = 1}\n": tomlFile,
	} {
		got, err := f.take([]byte(in), "a", "b")
		if !errors.Is(err, errUnsafe) {
			t.Errorf("%s became %q, %v", in, got, err)
		}
	}
}

// Our lines are for the file with the servers: a fault in another one is named alone.
func TestLinesOfTheRightFile(t *testing.T) {
	c, _ := ByName("claude-code")
	for file, want := range map[string]bool{".claude.json": true, ".claude/settings.json": false} {
		p, file := place(t, "linux", ""), filepath.FromSlash(file)
		err := writeFile(filepath.Join(p.Home(), file), `{"mcpServers": [], "permissions": []}`)
		fatal.If(t, err)
		_, err = c.Plan(p, Options{Server: local}, false)
		if err == nil || strings.Contains(err.Error(), "our lines") != want || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
