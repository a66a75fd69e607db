package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// scene is a form after some keys.
type scene struct {
	name string
	rec  desk.Record
	opts []option
	news []tea.Msg // of what the desk knows
	fail error     // of the commit
	keys []string
}

func scenes() []scene {
	half := question.Reply{Answers: []question.Answer{told("db", "Cockroach", "sqlite")}}
	lift := withLift(func() error { return nil })
	return []scene{
		{name: "signed", rec: record(deploy()), opts: []option{signed}},
		{name: "single-moved", rec: record(database()), keys: []string{"2"}},
		{name: "multi", rec: record(features()), keys: []string{"down", "space"}},
		{name: "text", rec: record(name()), keys: []string{"orders", "alt+enter", "v2"}},
		{name: "text-missing", rec: record(name()), keys: []string{"enter"}},
		{name: "boolean", rec: record(deploy())},
		{name: "skipped", rec: record(optional(database())), keys: []string{"s"}},
		{name: "progress", rec: record(database(), features(), name()), keys: []string{"1", "enter"}},
		{name: "follow-up", rec: record(withFollowUp(), deploy()), keys: []string{"1", "enter", "down"}},
		{name: "review", rec: record(withFollowUp(), features(), name()), keys: []string{"1", "enter", "2", "enter", "0", "Dark mode", "enter", "enter", "orders", "enter"}},
		{name: "review-note", rec: record(database(), deploy()), keys: []string{"1", "enter", "n", "enter", "ctrl+n", "Not before Monday"}},
		{name: "note", rec: record(deploy()), keys: []string{"ctrl+n", "Not before Monday", "enter"}},
		{name: "discuss", rec: record(database()), keys: []string{"ctrl+d", "What does each of them cost?"}},
		{name: "chinese", rec: record(chinese())},
		{name: "chinese-other", rec: record(chinese()), keys: []string{"0", "我们自己的存储"}},
		{name: "long-description", rec: record(longDescription()), keys: []string{"down"}},
		{name: "long-question", rec: record(longQuestion())},
		{name: "long-question-read", rec: record(longestQuestion()), keys: []string{"tab", "down", "down"}},
		{name: "preview", rec: record(withPreview()), keys: []string{"pgdown"}},
		{name: "dismissal", rec: record(database()), keys: []string{"ctrl+x"}},
		{name: "twenty", rec: record(twenty()), keys: []string{"1", "2"}},
		{name: "filter", rec: record(database()), keys: []string{"/", "sql"}},
		{name: "other", rec: record(database()), keys: []string{"0", "CockroachDB"}},
		{name: "keys", rec: record(features()), keys: []string{"?"}},

		{name: "bare-enter", rec: record(database()), keys: []string{"enter"}},
		{name: "bare-draft", rec: record(database()), opts: []option{withDraft(half)}, keys: []string{"enter"}},

		{name: "files", rec: record(database()), opts: []option{withDraft(filed("db", "", "sqlite"))}},
		{name: "files-review", rec: record(name(), deploy()), opts: []option{withDraft(filed("name", ""))}, keys: []string{"right", "enter", "n", "enter"}},
		{name: "failure", rec: record(database()), fail: errors.New("no space left"), keys: []string{"1", "enter"}},
		{name: "detached", rec: record(database()), news: []tea.Msg{Status{}}},
		{name: "last-round", rec: third(), opts: []option{lift, withRounds(before)}},
		{
			name: "all-at-once", rec: third(), opts: []option{lift, withDraft(question.Reply{Note: "soon"})},
			news: []tea.Msg{Status{Deadline: time.Unix(5, 0)}},
		},
		{name: "earlier", rec: third(), opts: []option{withRounds(before)}, keys: []string{"alt+h"}},
		{name: "memory", rec: record(database()), opts: []option{answeredBefore(database(), told("", "", "sqlite"))}},
		{name: "memory-taken", rec: record(database()), opts: []option{answeredBefore(database(), told("", "", "sqlite"))}, keys: []string{"ctrl+r"}},
	}
}

// signed has the answer signed.
func signed(o *Options) {
	o.signs = true
}

// on is the scene on a terminal of this size.
func (s *scene) on(t *testing.T, w, h int) *rig {
	t.Helper()
	r := fresh(t, w, h, s.rec, s.opts...).show()
	for _, msg := range s.news {
		_, _ = r.f.Update(msg) // its timer is not for now
	}
	r.fail = s.fail
	r.keys(s.keys...)
	checkScreen(t, r)
	if len(r.sent) > 0 && s.fail == nil {
		t.Fatalf("committed %+v", r.sent)
	}
	return r
}

// held are the screens that are kept. The others are drawn, and checked as every screen is.
var held = strings.Fields(`
	single-moved-80x24 multi-80x24 text-80x24 boolean-80x24 signed-80x24 review-80x24 note-80x24 discuss-80x24 other-80x24
	preview-80x24 dismissal-80x24 memory-80x24 keys-80x24 earlier-80x24 files-80x24 failure-80x24
	review-40x10 long-question-40x10 preview-120x24 single-moved-24x8 zh/multi-80x24 pt/bare-enter-80x24`)

// TestScreens holds what a terminal shows, and draws every scene at the sizes that matter, in every
// language: each keeps its frame, and cuts no hint through.
func TestScreens(t *testing.T) {
	t.Cleanup(func() { words.Local = words.English })
	for _, words.Local = range words.Languages() {
		for _, s := range scenes() {
			r := s.on(t, 80, 24)
			for _, size := range [][2]int{{80, 24}, {120, 24}, {40, 10}, {term.MinWidth, term.MinHeight}} {
				name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
				if words.Local != words.English {
					name = string(words.Local) + "/" + name
				}
				r.w, r.h = size[0], size[1]
				r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
				checkScreen(t, r)
				checkFrame(t, r)
				if slices.Contains(held, name) {
					check(t, name, r.screen())
				}
			}
		}
	}
}

// checkFrame looks whether all lines of a panel are as wide, and the hints below
// it whole.
func checkFrame(t *testing.T, r *rig) {
	t.Helper()
	lines := strings.Split(ansi.Strip(r.f.View().Content), "\n")
	hints := lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		if ansi.StringWidth(line) != ansi.StringWidth(lines[0]) {
			t.Errorf("the frame is torn at %q:\n%s", line, r.screen())
		}
	}
	var known []string
	for _, h := range r.f.hints() {
		known = append(known, h.Key+" "+h.Does)
	}
	for hint := range strings.SplitSeq(strings.TrimPrefix(hints, " "), " · ") {
		if !slices.Contains(known, hint) {
			t.Errorf("%q is no whole hint:\n%s", hint, r.screen())
		}
	}
}

// TestReviewShowsAnswers: however long a question is, its answer is in view beside
// it before it is sent.
func TestReviewShowsAnswers(t *testing.T) {
	q := chinese()
	q.Text = strings.Repeat(q.Text, 8)
	r := open(t, 40, 10, q, name()).keys("2", "enter", "orders", "enter")
	for _, answer := range []string{"→ SQLite", "→ orders"} {
		if s := r.screen(); !strings.Contains(s, answer) {
			t.Errorf("the answer is not in view:\n%s", s)
		}
		r.keys("down")
	}
}

// TestEverySize: a form with all that there may be beside a question draws within any
// terminal, at each height up to that of a preview below, and beside each width that matters.
func TestEverySize(t *testing.T) {
	states := map[string][]string{"question": nil, "Enter alone": {"enter"}, "other": {"0"}, "note": {"ctrl+n"}, "dismissal": {"ctrl+x"}, "keys": {"?"}}
	widths := []int{1, term.MinWidth - 1, term.MinWidth, 40, 80, wideEnough - 1, wideEnough, 2 * wideEnough}
	for state, keys := range states {
		r := fresh(t, 80, 24, record(withPreview(), name()), withLift(func() error { return nil })).show()
		r.send(Status{})
		r.keys(keys...)
		for _, r.w = range widths {
			for r.h = 1; r.h <= 18; r.h++ {
				r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
				checkScreen(t, r)
			}
		}
		if t.Failed() {
			t.Fatalf("%s: %d×%d", state, r.w, r.h)
		}
	}
}

// TestPreviewIsReadWhole: what the preview's area cuts off is in what tab reads.
func TestPreviewIsReadWhole(t *testing.T) {
	q := database()
	q.Options[0].Preview = strings.Repeat("a line that is long ", 8) + "to its end"
	r := open(t, 80, 24, q)
	if s := r.screen(); strings.Contains(s, "to its end") || !strings.Contains(s, "tab read all") {
		t.Fatalf("the line is not cut, or nothing says how to read it:\n%s", s)
	}
	if s := r.keys("tab").screen(); !strings.Contains(s, "to its end") {
		t.Errorf("tab does not read the end of the line:\n%s", s)
	}
}
