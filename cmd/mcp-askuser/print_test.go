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
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

func waitingRecords(now time.Time) []desk.Record {
	ask := func(id, client, dir, text string, age time.Duration, attended bool) desk.Record {
		return desk.Record{
			ID: id, Round: 1, Asker: desk.Asker{Client: client, Directory: dir}, State: desk.Pending, CreatedAt: now.Add(-age), Attended: attended,
			Set: question.Set{Questions: []question.Question{{ID: "q1", Text: text, Type: question.Text}}},
		}
	}
	return []desk.Record{
		ask("01JD6Z0000AAAAAAAAAAAAAAAA", "claude-code", "/srv/商店", "要删除哪些文件?请选择所有不再需要的文件。", 50*time.Hour, false),
		ask("01JD6Z1000AAAAAAAAAAAAAAAA", "codex", `C:\work\docs\`, "Which database should the service use for its orders?", 3*time.Hour, true),
		ask("01JD6Z1001AAAAAAAAAAAAAAAA", " ", "", "One\nquestion\x1b[2J", 59*time.Second, true),
	}
}

func TestPendingTable(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	table := pendingTable(waitingRecords(now), now)
	for name, width := range map[string]int{"pending-any.txt": 0, "pending-80.txt": 80, "pending-60.txt": 60, "pending-30.txt": 30} {
		got := table.text(width)
		golden.Check(t, "golden/"+name, got)
		for line := range strings.Lines(got) {
			if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); width > 0 && w > width {
				t.Errorf("%d cells in %d: %s", w, width, line)
			}
		}
	}
}

// When something was asked is cut last.
func TestHistoryTableKeepsTimes(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	records := waitingRecords(now)
	for i := range records {
		records[i].Outcome = &desk.Outcome{Status: desk.Dismissed, Surface: "tty"}
	}
	table := historyTable(records)
	for width, whole := range map[int]bool{80: true, 30: false} {
		got := table.text(width)
		if strings.Contains(got, "2026-11-19 10:00") != whole {
			t.Errorf("in %d cells:\n%s", width, got)
		}
		for line := range strings.Lines(got) {
			if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("%d cells in %d: %s", w, width, line)
			}
		}
	}
}

// Shortened ids are beginnings that tell all of them apart.
func TestShortened(t *testing.T) {
	records := waitingRecords(time.Now())
	for _, tc := range []struct {
		records []desk.Record
		least   int
		want    []string
	}{
		{nil, 8, []string{}},
		{records[:1], 8, []string{"01JD6Z00"}},
		{records[:2], 4, []string{"01JD6Z0", "01JD6Z1"}},
		{records, 4, []string{"01JD6Z0000", "01JD6Z1000", "01JD6Z1001"}},
		{records[:1], 40, []string{records[0].ID}},
	} {
		if got := shortened(tc.records, tc.least); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// The JSON that a terminal may show means what it meant, and holds nothing
// that acts.
func FuzzEscapeHidden(f *testing.F) {
	for _, s := range []string{"plain", "\u009b31m", "\u202eabc\u2069", "\U000e0041", "👩\u200d👩", "\u2028", "\x7f", "\xff", "日本"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain, err := json.Marshal([]string{s})
		if err != nil {
			t.Fatal(err)
		}
		escaped := escapeHidden(plain)
		var want, got []string
		if err := json.Unmarshal(plain, &want); err != nil {
			t.Fatal(err)
		}
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
