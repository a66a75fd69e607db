package askuser

import (
	"path/filepath"
	"strings"
	"testing"
)

// Variables in a JSON string count, as questions do: models write objects so now and then.
func TestVariablesInAString(t *testing.T) {
	dir := filepath.Join("..", "..", "examples", "templates")
	tools := New(Config{Templates: func(string) []string { return []string{dir} }})
	got, err := tools.fillTemplate([]byte(`{"template":"release","variables":"{\"version\":\"1.2\"}"}`), "")
	if err != nil || !strings.Contains(string(got), "Release 1.2 now?") {
		t.Errorf("%s, %v", got, err)
	}
}
