//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

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
