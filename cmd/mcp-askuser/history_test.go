//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

// The list says that it leaves questions out; the other formats are whole unless a limit is named.
// One damaged question hides no other, and is no success.
func TestHistoryIsWhole(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	d := desktest.Open(t, dir)
	var last desk.Record
	for i := range 52 {
		text := fmt.Sprintf("Question %d?", i)
		set := question.Set{Questions: []question.Question{{ID: "q1", Text: text, Type: question.Text}}}
		rec, err := desktest.Ask(t.Context(), d, set, "", desk.Asker{Client: "agent", Via: "mcp"})
		fatal.If(t, err)
		last, err = d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "no longer needed"})
		fatal.If(t, err)
	}
	for _, tc := range []struct {
		args    []string
		damaged bool
		want    int
		note    string
		status  int
	}{
		{nil, false, 50, "--limit 0 prints all", 0},
		{[]string{"--limit", "52"}, false, 52, "", 0},
		{[]string{"--json"}, false, 52, "", 0},
		{[]string{"--format", "md", "--limit", "3"}, false, 3, "", 0},
		{[]string{"--limit", "0"}, true, 51, "1 question is damaged", exitBad},
	} {
		if tc.damaged {
			desktest.Overwrite(t, dir, last.ID, desktest.Asked, func([]byte) []byte { return []byte("{") })
		}
		cmd := program(t, dir, append([]string{"history"}, tc.args...)...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if got := len(regexp.MustCompile(`Question \d+`).FindAll(out, -1)); got != tc.want || exitStatus(err) != tc.status ||
			!strings.Contains(said.String(), tc.note) || tc.note == "" && said.Len() > 0 {
			t.Errorf("%v: %d questions, %v, %q", tc.args, got, err, &said)
		}
	}
}

func waitingRecords(now time.Time) []desk.Record {
	ask := func(id, client, dir, text string, age time.Duration, attended bool) desk.Record {
		return desk.Record{
			ID: id, Round: 1, Asker: desk.Asker{Client: client, Directory: dir}, State: desk.Pending, CreatedAt: now.Add(-age),
			Attended: attended,
			Set:      question.Set{Questions: []question.Question{{ID: "q1", Text: text, Type: question.Text}}},
		}
	}
	return []desk.Record{
		ask("01JD6Z0000AAAAAAAAAAAAAAAA", "claude-code", "/srv/商店", "要删除哪些文件?请选择所有不再需要的文件。", 50*time.Hour, false),
		ask("01JD6Z1000AAAAAAAAAAAAAAAA", "codex", `C:\work\docs\`, "Which database should the service use for its orders?",
			3*time.Hour, true),
		ask("01JD6Z1001AAAAAAAAAAAAAAAA", " ", "", "One\nquestion\x1b[2J", 59*time.Second, true),
	}
}

// The table of what waits fits the terminal, whatever its width.
func TestPendingTable(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	table := pendingTable(waitingRecords(now), now)
	golden.Check(t, "golden/pending-80.txt", table.text(80))
	for _, width := range []int{80, 60, 30} {
		for line := range strings.Lines(table.text(width)) {
			if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("%d cells in %d: %s", w, width, line)
			}
		}
	}
}

// The JSON that a terminal may show means what it meant, and holds nothing
// that acts.
func FuzzEscapeHidden(f *testing.F) {
	for _, s := range []string{"plain", "\u009b31m", "\u202eabc\u2069", "\U000e0041", "👩\u200d👩", "\u2028", "\x7f",
		"\xff", "日本"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain, err := json.Marshal([]string{s})
		fatal.If(t, err)
		escaped := escapeHidden(plain)
		var want, got []string
		fatal.If(t, json.Unmarshal(plain, &want))
		if err := json.Unmarshal(escaped, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", escaped, err)
		}
		for _, r := range string(escaped) {
			if r != '\u200c' && r != '\u200d' && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r)) {
				t.Errorf("%U in %s", r, escaped)
			}
		}
	})
}

// A response follows its request, also where the agent's machine has a clock that is ahead.
func TestResponseFollowsItsRequest(t *testing.T) {
	now := time.Now()
	rec := desk.Record{CreatedAt: now.Add(3 * time.Hour), Outcome: &desk.Outcome{At: now}}
	if inOrder(desk.Event{Type: desk.Ended, Record: rec}, desk.Event{Type: desk.Asked, Record: rec}) <= 0 {
		t.Error("the response is first")
	}
}
