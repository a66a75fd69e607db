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

// chosen types keys into the list of clients that install shows on a terminal, in a home with these
// files, and returns the exit status and the output.
func chosen(t *testing.T, home, wait, keys string, args ...string) (status int, out string) {
	t.Helper()
	cmd := program(t, t.TempDir(), append([]string{"install"}, args...)...)
	cmd.Env = append(cmd.Env, "HOME="+home, "PATH="+home)
	s := seated(t, 100, 24, cmd)
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

// The list of clients in a terminal has all that are here ticked: Enter registers with them.
// A user who leaves the list, or unmarks all, registers with none.
func TestClientsAreTicked(t *testing.T) {
	for keys, want := range map[string]struct {
		status int
		both   bool
	}{"\r": {0, true}, "\x20\x1b[B\x20\r": {0, false}, "\x03": {exitClosed, false}} {
		home := t.TempDir()
		for _, dir := range []string{".cursor", ".gemini"} {
			fatal.If(t, os.Mkdir(filepath.Join(home, dir), 0o755))
		}
		status, out := chosen(t, home, "[•] Gemini", keys)
		for _, file := range []string{".cursor/mcp.json", ".gemini/settings.json"} {
			if contains(filepath.Join(home, file), "askuser") != want.both {
				t.Errorf("%q: registered in %s: %v", keys, file, !want.both)
			}
		}
		if status != want.status || strings.Contains(out, "othing was changed.") == want.both {
			t.Errorf("%q: status %d: %s", keys, status, out)
		}
	}
}

// What a client asks in its own dialog is offered with its registration, and never taken
// unasked: neither line is ticked, whether or not the client is named.
func TestQuestionsAreOffered(t *testing.T) {
	for keys, want := range map[string][2]bool{
		"\r": {}, "\x1b[B\x20\r": {true, false}, "\x1b[B\x1b[B\x20\r": {true, true},
	} {
		home := t.TempDir()
		fatal.If(t, os.Mkdir(filepath.Join(home, ".claude"), 0o755))
		fatal.If(t, os.WriteFile(filepath.Join(home, ".claude.json"), []byte("{}"), 0o600))
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

// The first thing a newcomer runs shows the form, follow-up and review, and
// what an agent would get.
func TestDemo(t *testing.T) {
	t.Parallel()
	s := sit(t, 80, 24, "mcp-askuser", "demo")
	s.WaitFor("Which database should")
	s.Type("1")
	s.WaitFor("(•) PostgreSQL")
	s.enter()
	s.WaitFor("Who runs the PostgreSQL server?")
	s.Type("2")
	s.WaitFor("(•) A cloud provider")
	s.enter()
	s.WaitFor("Which features")
	s.Type("1")
	s.WaitFor("[x] Audit log")
	s.enter()
	s.WaitFor("What should the service be called?")
	s.Type("kiosk")
	s.enter()
	s.WaitFor("Review")
	s.enter()
	if got := s.Wait(); got != 0 {
		t.Fatalf("exit status %d\n%s", got, s.Output())
	}
	want := `The agent reads:

User has answered your questions: "Which database should the new service
use?"="PostgreSQL (Recommended)", "Who runs the PostgreSQL server?"="A cloud
provider", "Which features go into the first version?"="Audit log", "What
should the service be called?"="kiosk". You can now continue with the user's
answers in mind.

Next: mcp-askuser install
`
	if got := s.out.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.left(t)
}
