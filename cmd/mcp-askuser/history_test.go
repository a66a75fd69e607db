//go:build unix

package main

import (
	"fmt"
	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// deskOfPast returns the directory of a desk on which so many questions were withdrawn.
func deskOfPast(t *testing.T, questions int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	d := openDesk(t, dir)
	for i := range questions {
		set := question.Set{Questions: []question.Question{{ID: "q1", Text: fmt.Sprintf("Question %d?", i), Type: question.Text}}}
		rec, err := desktest.Ask(t.Context(), d, set, "", desk.Asker{Client: "agent", Via: "mcp"})
		if err == nil {
			_, err = d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "no longer needed"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The list says that it leaves questions out; the other formats are whole unless a limit
// is named.
func TestHistoryIsWhole(t *testing.T) {
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
		cmd := program(t, dir, append([]string{"history"}, tc.args...)...)
		var note strings.Builder
		cmd.Stderr = &note
		out, err := cmd.Output()
		got := len(regexp.MustCompile(`Question \d+\?`).FindAllString(string(out), -1))
		if err != nil || got != tc.want || strings.Contains(note.String(), "--limit 0") != tc.note {
			t.Errorf("%v: %d questions, %v, %q", tc.args, got, err, note.String())
		}
	}
}

// A history that cannot be read whole is an error, never a shorter history.
func TestHistoryThatCannotBeRead(t *testing.T) {
	dir := deskOfPast(t, 8)
	for files := 4; files < 20; files++ {
		cmd := program(t, dir)
		cmd = &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" history --json`, files), cmd.Path}, Env: cmd.Env}
		out, err := cmd.Output()
		if got := strings.Count(string(out), `"created_at"`); err == nil && got != 8 {
			t.Errorf("with %d files: %d questions of 8, and no error", files, got)
		}
	}
}

// One damaged question hides no other, and is no success.
func TestHistoryWithADamagedQuestion(t *testing.T) {
	dir := deskOfPast(t, 3)
	for rec, err := range openDesk(t, dir).History(t.Context(), desk.Query{Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		desktest.Overwrite(t, dir, rec.ID, desktest.Asked, func([]byte) []byte { return []byte("{") })
	}
	for _, args := range [][]string{{"history"}, {"history", "--json"}} {
		cmd := program(t, dir, args...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		got := len(regexp.MustCompile(`Question \d+\?`).FindAllString(string(out), -1))
		if got != 2 || exitStatus(err) != exitBad || !strings.Contains(said.String(), "1 question is damaged") {
			t.Errorf("%v: %d questions, %v, %q", args, got, err, said.String())
		}
	}
}
