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
	own := "own 👨‍👩‍👧‍👦 ❤️ words"
	words := []question.Answer{noted(told("db", own), own), told("name", own)}
	emoji := withDraft(question.Reply{Note: own, Answers: words})
	known := answeredBefore(database(), told("", "", "sqlite"))
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
		{name: "emoji", rec: record(database(), name()), opts: []option{emoji}, keys: []string{"down", "up"}},
		{
			name: "emoji-review", rec: record(database(), name()), opts: []option{emoji},
			keys: []string{"down", "up", "enter", "left", "enter"},
		},
		{name: "memory", rec: record(database()), opts: []option{known}},
		{name: "memory-note", rec: record(database()), opts: []option{known}, keys: []string{"ctrl+n"}},
		{name: "memory-taken", rec: record(database()), opts: []option{known}, keys: []string{"ctrl+r"}},
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

// checkFrame looks whether all lines of a panel are as wide, in every terminal, and the hints below
// it whole.
func checkFrame(t *testing.T, r *rig) {
	t.Helper()
	lines := strings.Split(ansi.Strip(r.f.View().Content), "\n")
	hints := lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		if width := ansi.StringWidth(line); width != ansi.StringWidth(lines[0]) || width != ansi.StringWidthWc(line) {
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

// TestShown: what a screen says, and does not say, after some keys, however long what is beside it is.
func TestShown(t *testing.T) {
	asked := chinese()
	asked.Required = false
	long := chinese()
	long.Text = strings.Repeat(long.Text, 8)
	wide := database()
	wide.Options[0].Preview = strings.Repeat("a line that is long ", 8) + "to its end"
	cause := errors.New("store the reply: " + strings.Repeat("a directory with a long name/", 10))
	for _, tt := range []struct {
		name         string
		w, h         int
		qs           []question.Question
		fail         error
		keys         string
		shows, lacks string
	}{
		{name: "left to the agent, below a long question", w: 40, h: 10, qs: ask(asked), keys: "2 ctrl+y", shows: "(left to the agent)"},
		{name: "left open, below a long question", w: 40, h: 10, qs: ask(asked), keys: "2 s", shows: "(skipped)"},
		{name: "review of a long question", w: 40, h: 10, qs: ask(long, name()), keys: "2 enter orders enter", shows: "→ SQLite"},
		{name: "review of the last one", w: 40, h: 10, qs: ask(long, name()), keys: "2 enter orders enter down", shows: "→ orders"},
		{name: "preview that is cut", w: 80, h: 24, qs: ask(wide), shows: "tab read all", lacks: "to its end"},
		{name: "preview that is read", w: 80, h: 24, qs: ask(wide), keys: "tab", shows: "to its end"},
		{name: "cause that is cut", w: 40, h: 24, qs: ask(database()), fail: cause, keys: "1 enter", shows: "kept; enter tries again"},
		{name: "cause that begins", w: 40, h: 24, qs: ask(database()), fail: cause, keys: "1 enter", shows: "store the reply"},
		{
			name: "reason that is refused", w: 80, h: 24, qs: ask(database()), keys: "ctrl+x because enter",
			fail: question.Violations{{Path: "reason", Message: "is too long"}}, shows: "reason: is too long",
		},
		{
			name: "reason that stays", w: 80, h: 24, qs: ask(database()), keys: "ctrl+x because enter",
			fail: question.Violations{{Path: "reason", Message: "is too long"}}, shows: "because",
		},
	} {
		r := open(t, tt.w, tt.h, tt.qs...)
		r.fail = tt.fail
		r.keys(strings.Fields(tt.keys)...)
		words := strings.Join(strings.Fields(strings.ReplaceAll(r.screen(), "│", "")), " ")
		if !strings.Contains(words, tt.shows) || tt.lacks != "" && strings.Contains(words, tt.lacks) {
			t.Errorf("%s: want %q and not %q in\n%s", tt.name, tt.shows, tt.lacks, r.screen())
		}
	}
}
