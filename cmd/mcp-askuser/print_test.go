package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

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

// A terminal of 80 columns has the question and its answer; a wider one, and a pipe, also who
// asked and where.
func TestHistoryOnNarrowTerminals(t *testing.T) {
	records := waitingRecords(time.Now())
	for i := range records {
		records[i].Outcome = &desk.Outcome{Status: desk.Dismissed, Surface: "tty"}
	}
	const whole = "ID ASKED ASKED BY QUESTION ANSWER WHERE"
	for width, want := range map[int]string{0: whole, 80: "ID ASKED QUESTION ANSWER", 120: whole} {
		table := historyTable(records, width)
		if got := strings.Join(table[0], " "); got != want || len(table[1]) != len(table[0]) {
			t.Errorf("%d cells: %s, want %s", width, got, want)
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

// Shortened ids are beginnings that tell all of them apart.
func TestShortened(t *testing.T) {
	records := waitingRecords(time.Now())
	for _, tc := range []struct {
		records []desk.Record
		want    []string
	}{
		{nil, []string{}},
		{records[:1], []string{"01JD6Z0000"}},
		{records, []string{"01JD6Z0000", "01JD6Z1000", "01JD6Z1001"}},
		{[]desk.Record{records[0], records[0]}, []string{records[0].ID, records[0].ID}},
	} {
		if got := shortened(tc.records); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
