//go:build unix

package main

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// deskOfPast returns the directory of a desk on which so many questions were withdrawn.
func deskOfPast(t *testing.T, questions int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	d := openDesk(t, dir)
	for i := range questions {
		text := fmt.Sprintf("Question %d?", i)
		set := question.Set{Questions: []question.Question{{ID: "q1", Text: text, Type: question.Text}}}
		rec, err := desktest.Ask(t.Context(), d, set, "", desk.Asker{Client: "agent", Via: "mcp"})
		fatal.If(t, err)
		_, err = d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "no longer needed"})
		fatal.If(t, err)
	}
	return dir
}

// history runs the command, and returns how many questions it prints, and what it says.
func history(t *testing.T, dir string, args ...string) (questions, status int, said string) {
	t.Helper()
	cmd := program(t, dir, append([]string{"history"}, args...)...)
	var note strings.Builder
	cmd.Stderr = &note
	out, err := cmd.Output()
	found := 0
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "Question ") {
			found++
		}
	}
	return found, exitStatus(err), note.String()
}

// The list says that it leaves questions out; the other formats are whole unless a limit is named.
func TestHistoryIsWhole(t *testing.T) {
	t.Parallel()
	dir := deskOfPast(t, 52)
	for _, tc := range []struct {
		args []string
		want int
		note bool
	}{
		{nil, 50, true},
		{[]string{"--limit", "52"}, 52, false},
		{[]string{"--json"}, 52, false},
		{[]string{"--format", "md", "--limit", "3"}, 3, false},
	} {
		got, status, said := history(t, dir, tc.args...)
		if status != 0 || got != tc.want || strings.Contains(said, "--limit 0") != tc.note {
			t.Errorf("%v: %d questions, %d, %q", tc.args, got, status, said)
		}
	}
}

// One damaged question hides no other, and is no success.
func TestHistoryWithADamagedQuestion(t *testing.T) {
	t.Parallel()
	dir := deskOfPast(t, 3)
	for rec, err := range openDesk(t, dir).History(t.Context(), desk.Query{Limit: 1}) {
		fatal.If(t, err)
		desktest.Overwrite(t, dir, rec.ID, desktest.Asked, func([]byte) []byte { return []byte("{") })
	}
	got, status, said := history(t, dir)
	if got != 2 || status != exitBad || !strings.Contains(said, "1 question is damaged") {
		t.Errorf("%d questions, %d, %q", got, status, said)
	}
}

func TestSince(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.FixedZone("X", 3600))
	for _, tc := range []struct{ text, want string }{
		{"", "0001-01-01T00:00:00Z"},
		{"90", "2026-11-21T11:58:30+01:00"},
		{"2h", "2026-11-21T10:00:00+01:00"},
		{"2026-11-01", "2026-11-01T00:00:00+01:00"},
		{"2026-11-01T08:30:00Z", "2026-11-01T08:30:00Z"},
		{"yesterday", ""},
		{"-2h", ""},
	} {
		got, ok := parseSince(tc.text, now)
		if ok != (tc.want != "") || ok && got.Format(time.RFC3339) != tc.want {
			t.Errorf("%q: got %v, %v", tc.text, got, ok)
		}
	}
}

// The command ends with its reader, as in a pipe to head, and not with the next event.
func TestEventsEndWithTheirReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asking(t, openDesk(t, dir), "Go on?")
	cmd := program(t, dir, "events", "--since", "1h")
	out, err := cmd.StdoutPipe()
	fatal.If(t, err)
	fatal.If(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	_ = out.Close()
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != exitUnread {
		t.Errorf("exit status %d", status)
	}
}
