//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/words"
)

// choosing is the list of clients that install shows on a terminal, in a new home with these files,
// which it returns.
func choosing(t *testing.T, cols, rows int, files map[string]string, args ...string) (*termtest.Terminal, string) {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		fatal.If(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fatal.If(t, os.WriteFile(path, []byte(text), 0o600))
	}
	cmd := program(t, t.TempDir(), append([]string{"install"}, args...)...)
	cmd.Env = append(cmd.Env, "HOME="+home, "PATH="+home)
	return termtest.Start(t, onScreen(cmd), cols, rows), home
}

// registered says what is set up in a home.
func registered(home string) string {
	var all []string
	for _, what := range []struct{ name, file, text string }{
		{"cursor", ".cursor/mcp.json", "askuser"},
		{"gemini", ".gemini/settings.json", "askuser"},
		{"claude", ".claude.json", "askuser"},
		{"questions", ".claude/settings.json", "hook claude-code"},
		{"permissions", ".claude/settings.json", "--permissions"},
	} {
		data, _ := os.ReadFile(filepath.Join(home, what.file))
		if strings.Contains(string(data), what.text) {
			all = append(all, what.name)
		}
	}
	return strings.Join(all, " ")
}

// The list of clients in a terminal has all that are here ticked, but for one whose file is broken, which
// would keep all others from being set up: Enter registers with them. A user who leaves the list, or
// unmarks all, registers with none. What a client asks in its own dialog is never taken unasked.
func TestClientsAreTicked(t *testing.T) {
	two := map[string]string{".cursor/mcp.json": "{}", ".gemini/settings.json": "{}"}
	broken := map[string]string{".cursor/mcp.json": "{", ".gemini/settings.json": "{}"}
	claude := map[string]string{".claude/x": "", ".claude.json": "{}"}
	const unmark, down = "\x20", "\x1b[B"
	for name, tt := range map[string]struct {
		files  map[string]string
		args   []string
		keys   string
		want   string
		status int
	}{
		"Enter":                 {two, nil, "\r", "cursor gemini", 0},
		"a broken one":          {broken, nil, "\r", "gemini", 0},
		"all unmarked":          {two, nil, unmark + down + unmark + "\r", "", exitClosed},
		"left":                  {two, nil, "\x03", "", exitClosed},
		"its questions are not": {claude, nil, "\r", "claude", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, home := choosing(t, 100, 24, tt.files, tt.args...)
			x.WaitFor("[•]")
			x.Type(tt.keys)
			status, said := x.Wait(), "A question appears in the inbox"
			if tt.want == "" {
				said = "othing was changed."
			}
			if got := registered(home); got != tt.want || status != tt.status || !strings.Contains(x.Output(), said) {
				t.Errorf("status %d, registered %s: %s", status, got, x.Output())
			}
			x.CheckLeft()
		})
	}
}

// Every language has the sample set, which differs in its words alone.
func TestDemoInEveryLanguage(t *testing.T) {
	var shape []string
	for _, l := range words.Languages() {
		sample, err := demoCalls.ReadFile("texts/demo." + string(l) + ".json")
		fatal.If(t, err)
		call, err := wire.DecodeAsk(sample, question.DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		var got []string
		for _, q := range call.Set.All() {
			got = append(got, fmt.Sprint(q.ID, q.Type, q.Required, len(q.Options)))
		}
		if shape == nil {
			shape = got
		}
		if !slices.Equal(got, shape) {
			t.Errorf("%s: %v, want %v", l, got, shape)
		}
	}
}
