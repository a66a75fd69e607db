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

// held are the scenes whose screens are kept, by their size, and those in other languages. The
// others are drawn, and checked as every screen is.
var (
	wide     = [2]int{120, 24}
	usual    = [2]int{80, 24}
	narrow   = [2]int{40, 10}
	smallest = [2]int{term.MinWidth, term.MinHeight}
	held     = map[[2]int][]string{
		usual: {
			"single-moved", "multi", "text", "boolean", "signed", "review", "note", "discuss", "other", "preview",
			"dismissal", "memory", "keys", "earlier", "files", "failure",
		},
		narrow:   {"review", "long-question"},
		wide:     {"preview"},
		smallest: {"single-moved"},
	}
	heldIn = map[words.Language][]string{words.Chinese: {"multi"}, words.Portuguese: {"bare-enter"}}
)

// TestScreens holds what a terminal shows, and draws every scene at the sizes that matter.
func TestScreens(t *testing.T) {
	for _, s := range scenes() {
		for _, size := range [][2]int{wide, usual, narrow, smallest} {
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
			for _, size := range [][2]int{usual, narrow, smallest} {
				name := fmt.Sprintf("%s/%s-%dx%d", l, s.name, size[0], size[1])
				t.Run(name, func(t *testing.T) {
					speak(t, l)
					r := s.on(t, size[0], size[1])
					checkFrame(t, r)
					if size == usual && slices.Contains(heldIn[l], s.name) {
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
	for _, h := range r.f.hints() {
		known = append(known, h.Key+" "+h.Does)
	}
	for hint := range strings.SplitSeq(strings.TrimPrefix(hints, " "), " · ") {
		if !slices.Contains(known, hint) {
			t.Errorf("%q is no whole hint:\n%s", hint, r.screen())
		}
	}
}
