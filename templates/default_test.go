package templates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
)

// A default that is no text is named, as it would be no default.
func TestDefaultIsText(t *testing.T) {
	dir := t.TempDir()
	const text = "[[questions]]\nquestion = \"{{n}}?\"\n[variables.n]\ndefault = 3\n"
	err := os.WriteFile(filepath.Join(dir, "count.toml"), []byte(text), 0o600)
	fatal.If(t, err)
	_, err = Load("count", dir)
	if err == nil || !strings.Contains(err.Error(), "count.toml:4: ") {
		t.Error(err)
	}
}
