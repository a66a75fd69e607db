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
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/words"
)

// homeWith makes a home directory with these files.
func homeWith(t *testing.T, files map[string]string) (home string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		fatal.If(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fatal.If(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return home
}

// choosing is the list of clients that install shows on a terminal, in a home.
func choosing(t *testing.T, cols, rows int, home string, args ...string) *seat {
	t.Helper()
	cmd := program(t, t.TempDir(), append([]string{"install"}, args...)...)
	cmd.Env = append(cmd.Env, "HOME="+home, "PATH="+home)
	return seated(t, cols, rows, cmd)
}

// chosen types keys into the list of clients once it shows a line, and returns the exit status and
// the output.
func chosen(t *testing.T, home, wait, keys string, args ...string) (status int, out string) {
	t.Helper()
	s := choosing(t, 100, 24, home, args...)
	s.WaitFor(wait)
	s.Type(keys)
	status = s.Wait()
	s.left(t)
	return status, s.Output()
}

// contains tells whether a file has a text.
func contains(file, text string) bool {
	data, err := os.ReadFile(file)
	return err == nil && strings.Contains(string(data), text)
}

// The list of clients in a terminal has all that are here ticked, but for one whose file is broken, which
// would keep all others from being set up: Enter registers with them. A user who leaves the list, or
// unmarks all, registers with none.
func TestClientsAreTicked(t *testing.T) {
	for name, tt := range map[string]struct {
		cursor, keys string
		registered   string
		status       int
	}{
		"Enter":        {"{}", "\r", "[.cursor/mcp.json .gemini/settings.json]", 0},
		"a broken one": {"{", "\r", "[.gemini/settings.json]", 0},
		"all unmarked": {"{}", "\x20\x1b[B\x20\r", "[]", 0},
		"left":         {"{}", "\x03", "[]", exitClosed},
	} {
		home := homeWith(t, map[string]string{".cursor/mcp.json": tt.cursor, ".gemini/settings.json": "{}"})
		status, out := chosen(t, home, "[•] Gemini", tt.keys)
		registered := []string{}
		for _, file := range []string{".cursor/mcp.json", ".gemini/settings.json"} {
			if contains(filepath.Join(home, file), "askuser") {
				registered = append(registered, file)
			}
		}
		if fmt.Sprint(registered) != tt.registered || status != tt.status ||
			strings.Contains(out, "othing was changed.") != (tt.registered == "[]") {
			t.Errorf("%s: status %d, registered in %s: %s", name, status, registered, out)
		}
	}
}

// In a small terminal the list of clients shows the line that the cursor is on. What a flag asks
// for is no line of it.
func TestClientsInASmallTerminal(t *testing.T) {
	home := homeWith(t, map[string]string{".claude/x": "", ".claude.json": "{}", ".codex/x": "", ".cursor/x": "",
		".gemini/x": "", ".copilot/x": "", ".kiro/settings/x": "", ".config/zed/x": ""})
	for _, tt := range []struct {
		args      []string
		last, key string
		status    int
	}{
		{nil, "> [ ] Here, too: the permissions", "\x03", exitClosed},
		{[]string{"--questions"}, "> [•] Kiro", "\r", 0},
	} {
		s := choosing(t, 40, 10, home, tt.args...)
		s.WaitFor("> [•] Claude Code")
		s.Type(strings.Repeat("\x1b[B", 10))
		s.WaitFor(tt.last)
		s.Type(tt.key)
		status, brought := s.Wait(), contains(filepath.Join(home, ".claude", "settings.json"), "hook claude-code")
		if status != tt.status || brought != (tt.status == 0) {
			t.Errorf("%v: status %d, brought %t: %s", tt.args, status, brought, s.Output())
		}
		s.left(t)
	}
}

// What a client asks in its own dialog is offered with its registration, and never taken
// unasked: neither line is ticked, whether or not the client is named.
func TestQuestionsAreOffered(t *testing.T) {
	for keys, want := range map[string][2]bool{
		"\r": {}, "\x1b[B\x20\r": {true, false}, "\x1b[B\x1b[B\x20\r": {true, true},
	} {
		home := homeWith(t, map[string]string{".claude/x": "", ".claude.json": "{}"})
		var args []string
		if want[0] {
			args = []string{"claude-code"}
		}
		status, out := chosen(t, home, "what Claude Code asks in its own dialog", keys, args...)
		settings := filepath.Join(home, ".claude", "settings.json")
		got := [2]bool{contains(settings, "hook claude-code"), contains(settings, "--permissions")}
		if status != 0 || got != want || !strings.Contains(out, "A question appears in the inbox") {
			t.Errorf("%q: status %d, %v, want %v: %s", keys, status, got, want, out)
		}
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

// A program that go run has built is not registered with a client: it is removed when it ends.
func TestGoRunIsNotRegistered(t *testing.T) {
	cmd := program(t, t.TempDir(), "install", "codex")
	data, err := os.ReadFile(cmd.Path)
	fatal.If(t, err)
	cmd.Path = filepath.Join(homeWith(t, map[string]string{"go-build1/b001/exe/mcp-askuser": string(data)}),
		"go-build1/b001/exe/mcp-askuser")
	fatal.If(t, os.Chmod(cmd.Path, 0o700))
	home := t.TempDir()
	cmd.Args[0], cmd.Env = cmd.Path, append(cmd.Env, "HOME="+home)
	out, err := cmd.CombinedOutput()
	left, _ := os.ReadDir(home)
	if exitStatus(err) != exitBad || !strings.Contains(string(out), "go install") || len(left) > 0 {
		t.Errorf("%v, %s, %v", err, out, left)
	}
}
