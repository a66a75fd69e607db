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
	keys []string
}

func scenes() []scene {
	half := question.Reply{Answers: []question.Answer{told("db", "Cockroach", "sqlite")}}
	lift := withLift(func() error { return nil })
	return []scene{
		{name: "single", rec: record(database())},
		{name: "signed", rec: record(deploy()), opts: []option{signed}},
		{name: "single-moved", rec: record(database()), keys: []string{"2"}},
		{name: "multi", rec: record(features()), keys: []string{"down", "space"}},
		{name: "text", rec: record(name())},
		{name: "text-typed", rec: record(name()), keys: []string{"orders", "alt+enter", "v2"}},
		{name: "text-missing", rec: record(name()), keys: []string{"enter"}},
		{name: "boolean", rec: record(deploy())},
		{name: "yes-or-no", rec: record(noDefault(deploy())), keys: []string{"enter"}},
		{name: "skipped", rec: record(optional(database())), keys: []string{"s"}},
		{name: "escape", rec: record(database()), keys: []string{"esc"}},
		{name: "escape-text", rec: record(name()), keys: []string{"esc"}},
		{name: "in-a-list", rec: record(database()), opts: []option{func(o *Options) { o.List = true }}},
		{name: "progress", rec: record(database(), features(), name()), keys: []string{"1", "enter"}},
		{name: "follow-up", rec: record(withFollowUp(), deploy()), keys: []string{"1", "enter", "down"}},
		{name: "review", rec: record(withFollowUp(), features(), name()), keys: []string{"1", "enter", "2", "enter", "0", "Dark mode", "enter", "enter", "orders", "enter"}},
		{name: "review-note", rec: record(database(), deploy()), keys: []string{"1", "enter", "n", "enter", "ctrl+n", "Not before Monday"}},
		{name: "note-written", rec: record(database()), keys: []string{"2", "ctrl+n", "Only for the first year"}},
		{name: "note", rec: record(deploy()), keys: []string{"ctrl+n", "Not before Monday", "enter"}},
		{name: "discuss", rec: record(database()), keys: []string{"ctrl+d", "What does each of them cost?"}},
		{name: "chinese", rec: record(chinese())},
		{name: "chinese-other", rec: record(chinese()), keys: []string{"0", "我们自己的存储"}},
		{name: "long-description", rec: record(longDescription()), keys: []string{"down"}},
		{name: "long-question", rec: record(longQuestion())},
		{name: "long-question-read", rec: record(longestQuestion()), keys: []string{"tab", "down", "down"}},
		{name: "preview", rec: record(withPreview()), keys: []string{"pgdown"}},
		{name: "dismissal", rec: record(database()), keys: []string{"ctrl+x"}},
		{name: "dismissal-reason", rec: record(database()), keys: []string{"ctrl+x", "Ask me tomorrow"}},
		{name: "twenty", rec: record(twenty()), keys: []string{"1", "2"}},
		{name: "filter", rec: record(database()), keys: []string{"/", "sql"}},
		{name: "filter-nothing", rec: record(database()), keys: []string{"/", "oracle"}},
		{name: "other", rec: record(database()), keys: []string{"0", "CockroachDB"}},
		{name: "other-kept", rec: record(database()), keys: []string{"0", "CockroachDB", "esc", "up"}},
		{name: "keys", rec: record(features()), keys: []string{"?"}},

		{name: "bare", rec: record(database())},
		{name: "bare-enter", rec: record(database()), keys: []string{"enter"}},
		{name: "bare-multi", rec: record(features()), keys: []string{"enter"}},
		{name: "bare-boolean", rec: record(yes()), keys: []string{"enter"}},
		{name: "bare-text", rec: record(proposed(name())), keys: []string{"enter"}},
		{name: "bare-optional-text", rec: record(optional(name())), keys: []string{"enter"}},
		{name: "bare-draft", rec: record(database()), opts: []option{withDraft(half)}, keys: []string{"enter"}},
		{name: "bare-preview", rec: record(withPreview())},

		{name: "draft", rec: record(database()), opts: []option{withDraft(half)}},
		{name: "draft-text", rec: record(name()), opts: []option{withDraft(question.Reply{Answers: []question.Answer{told("name", "orders\nv2")}})}},
		{name: "draft-review", rec: record(database(), deploy()), opts: []option{withDraft(half)}, keys: []string{"2", "enter", "n", "enter"}},
		{name: "files", rec: record(database()), opts: []option{withDraft(filed("db", "", "sqlite"))}},
		{name: "files-text", rec: record(name()), opts: []option{withDraft(filed("name", "As in the file"))}},
		{name: "files-review", rec: record(name(), deploy()), opts: []option{withDraft(filed("name", ""))}, keys: []string{"right", "enter", "n", "enter"}},
		{name: "countdown", rec: record(database(), deploy()), news: []tea.Msg{Deadline{time.Unix(17, 0)}}},
		{name: "detached", rec: record(database()), news: []tea.Msg{Attention{}}},
		{name: "last-round", rec: third(), opts: []option{lift, withRounds(before)}},
		{name: "lifted", rec: third(), opts: []option{lift, withRounds(before)}, keys: []string{"alt+l"}},
		{name: "all-at-once", rec: third(), opts: []option{lift, withDraft(question.Reply{Note: "soon"})}, news: []tea.Msg{Attention{}, Deadline{time.Unix(5, 0)}}},
		{name: "earlier", rec: third(), opts: []option{withRounds(before)}, keys: []string{"alt+h"}},
		{name: "memory", rec: record(database()), opts: []option{answeredBefore(database(), told("", "", "sqlite"))}},
		{name: "memory-taken", rec: record(database()), opts: []option{answeredBefore(database(), told("", "", "sqlite"))}, keys: []string{"ctrl+r"}},
		{name: "memory-multi", rec: record(features()), opts: []option{answeredBefore(features(), told("", "Dark mode", "export", "audit"))}, keys: []string{"ctrl+r"}},
		{name: "memory-text", rec: record(name()), opts: []option{answeredBefore(name(), told("", "orders, or what it was called in the first version"))}, keys: []string{"ctrl+r"}},
		{name: "memory-keys", rec: record(database()), opts: []option{answeredBefore(database(), told("", "", "sqlite"))}, keys: []string{"?", "end"}},
		{name: "memory-chinese", rec: record(chinese()), opts: []option{answeredBefore(chinese(), told("", "我们自己的存储，由团队维护，支持强一致性"))}, keys: []string{"ctrl+r"}},
		{name: "earlier-scrolled", rec: third(), opts: []option{withRounds(before)}, keys: []string{"alt+h", "end"}},
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
	r.keys(s.keys...)
	checkScreen(t, r)
	if len(r.sent) > 0 {
		t.Fatalf("committed %+v", r.sent)
	}
	return r
}

// held are the scenes whose screens are kept, by their size, and those in other languages. The
// others are drawn, and checked as every screen is.
var (
	held = map[[2]int][]string{
		{80, 24}: {"single", "single-moved", "bare", "multi", "text", "boolean", "signed", "review", "note", "discuss", "preview", "dismissal",
			"memory", "keys", "countdown", "earlier", "follow-up", "files", "draft"},
		{40, 10}: {"bare", "multi", "review", "preview", "dismissal", "long-question"},
	}
	heldIn = map[words.Language][]string{words.Chinese: {"bare-enter", "multi", "review-note", "dismissal", "keys"}, words.Portuguese: {"bare-enter"}}
)

// TestScreens holds what a terminal shows, and draws every scene at the two sizes that matter.
func TestScreens(t *testing.T) {
	for _, s := range scenes() {
		for _, size := range [][2]int{{80, 24}, {40, 10}} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				screen := s.on(t, size[0], size[1]).screen()
				if slices.Contains(held[size], s.name) {
					check(t, name, screen)
				}
			})
		}
	}
}

// TestLanguages: in every language every screen keeps its frame, and cuts no hint
// through; some of them are held.
func TestLanguages(t *testing.T) {
	for _, l := range words.Languages()[1:] {
		for _, s := range scenes() {
			for _, size := range [][2]int{{80, 24}, {40, 10}, {term.MinWidth, term.MinHeight}} {
				name := fmt.Sprintf("%s/%s-%dx%d", l, s.name, size[0], size[1])
				t.Run(name, func(t *testing.T) {
					speak(t, l)
					r := s.on(t, size[0], size[1])
					checkFrame(t, r)
					if size[0] == 80 && slices.Contains(heldIn[l], s.name) {
						check(t, name, r.screen())
					}
				})
			}
		}
	}
}

// speak has the form say everything in a language until the test ends.
func speak(t *testing.T, l words.Language) {
	words.Local = l
	t.Cleanup(func() { words.Local = words.English })
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
	for _, h := range r.f.page().hints() {
		known = append(known, h.Help().Key+" "+h.Help().Desc)
	}
	for hint := range strings.SplitSeq(strings.TrimPrefix(hints, " "), " · ") {
		if !slices.Contains(known, hint) {
			t.Errorf("%q is no whole hint:\n%s", hint, r.screen())
		}
	}
}

func TestWidePreview(t *testing.T) {
	check(t, "preview-120x24", open(t, 120, 24, withPreview()).screen())
}

// TestSmallest: the form can be used on the least terminal that it names.
func TestSmallest(t *testing.T) {
	check(t, "smallest-single", open(t, term.MinWidth, term.MinHeight, database()).keys("down").screen())
	check(t, "smallest-preview", open(t, term.MinWidth, term.MinHeight, withPreview()).keys("down").screen())
	check(t, "smallest-remark", fresh(t, term.MinWidth, term.MinHeight, third(), withDraft(question.Reply{Note: "soon"})).show().screen())
	check(t, "smallest-other", open(t, term.MinWidth, term.MinHeight, database()).keys("0", "CockroachDB").screen())
}

func TestFailureScreen(t *testing.T) {
	r := open(t, 80, 24, database())
	r.fail = errors.New("no space left on device")
	r.keys("1", "enter")
	check(t, "failure-80x24", r.screen())
}
