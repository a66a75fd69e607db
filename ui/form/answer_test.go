package form

import (
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

func optional(q question.Question) question.Question { q.Required = false; return q }

func told(id string, custom string, selected ...string) question.Answer {
	return question.Answer{QuestionID: id, Selected: selected, Custom: custom, By: question.ByUser}
}

func noted(a question.Answer, note string) question.Answer {
	a.Note = note
	return a
}

func ask(qs ...question.Question) []question.Question { return qs }

// filed is a draft with an answer that was given files on the page.
func filed(id, custom string, selected ...string) question.Reply {
	a := told(id, custom, selected...)
	sum := strings.Repeat("a", 64)
	a.Files = []question.File{{Name: "notes.txt", Type: "text/plain", Size: 4, SHA256: sum}, {Name: "截图 of the first night.png", Type: "image/png", Size: 34_000, SHA256: sum}}
	return question.Reply{Answers: []question.Answer{a}}
}

func discusses(note string, so ...question.Answer) *question.Reply {
	return &question.Reply{Discuss: true, Note: note, Answers: so}
}

// TestAnswers gives what each row of keys sends; nil means that it sends
// nothing. What answers a question, and what is kept, is ui/answer's: the keys are the form's.
func TestAnswers(t *testing.T) {
	answers := func(as ...question.Answer) *question.Reply { return &question.Reply{Answers: as} }
	dismissed := func(reason string) *question.Reply { return &question.Reply{Dismissed: true, Reason: reason} }
	preset := database()
	preset.Options[1].Default = true
	closed := database()
	closed.AllowCustom = false
	asked, two, confirm := ask(database()), ask(database(), deploy()), ask(noDefault(deploy()))
	pg, sqlite, none := told("db", "", "pg"), told("db", "", "sqlite"), told("db", "", "none")
	yes, no := told("deploy", "", question.YesID), told("deploy", "", question.NoID)
	soon := answers(pg, no)
	soon.Note = "soon"
	delegated, export := told("db", ""), told("features", "", "export")
	delegated.Delegated = true

	for _, tt := range []struct {
		name string
		qs   []question.Question
		keys string // names of keys and texts
		want *question.Reply
	}{
		{"a digit alone sends nothing", asked, "2", nil},
		{"enter alone answers nothing", asked, "enter", nil},
		{"digit, then enter", asked, "3 enter", answers(none)},
		{"wide keys of an input method", asked, "？ enter ３ enter", answers(none)},
		{"arrows and j, k", asked, "down j k enter", answers(sqlite)},
		{"cursor wins over an earlier digit", asked, "3 up enter", answers(sqlite)},
		{"a digit that is no option does nothing", ask(closed), "7 0 enter", nil},
		{"cursor starts on the default", ask(preset), "down enter", answers(none)},
		{"up at the first is no act", ask(closed), "up enter", nil},
		{"down from a no is no yes", ask(deploy()), "down enter", nil},

		{"other", asked, "0 Redis enter", answers(told("db", "Redis"))},
		{"other by the cursor", asked, "end enter Redis enter", answers(told("db", "Redis"))},
		{"empty other goes back", asked, "0 enter space", nil},
		{"other left for an option", asked, "0 Redis esc 1 enter", answers(pg)},
		{"digits and slashes are text in other", asked, "0 1/2? enter", answers(told("db", "1/2?"))},

		{"filter and take", asked, "/ memory enter enter", answers(none)},
		{"a letter begins no filter", asked, "memory enter enter", nil},
		{"a filter that hides the row of the cursor", asked, "3 / sql enter down enter", answers(sqlite)},
		{"a filter that leaves several takes none", asked, "/ sql enter enter", nil},
		{"esc leaves the filter", asked, "/ memory esc up up enter", answers(pg)},

		{"several: enter alone answers nothing", ask(features()), "enter", nil},
		{"several: space toggles", ask(features()), "space down space enter", answers(export)},
		{"several: digits toggle", ask(features()), "1 3 2 enter", answers(told("features", "", "export", "audit"))},

		{"text of several lines", ask(name()), "a ctrl+j b alt+enter c enter", answers(told("name", "a\nb\nc"))},

		{"yes", ask(deploy()), "y enter", answers(yes)},
		{"a wide yes", ask(deploy()), "ｙ enter", answers(yes)},
		{"y alone sends nothing", ask(deploy()), "y", nil},
		{"no preset yes", confirm, "enter space enter", nil},
		{"no by no number", confirm, "2 enter 1 enter", nil},
		{"no letter finds Yes", ask(yesDeclared()), "e s enter enter", nil},
		{"skip", ask(optional(database())), "s enter", answers()},

		{"left to the agent", asked, "2 ctrl+y enter", answers(delegated)},
		{"a yes or no is never left to the agent", ask(deploy()), "ctrl+y enter", nil},

		{"an earlier answer", asked, "ctrl+r enter", answers(sqlite)},
		{"an earlier answer alone sends nothing", asked, "ctrl+r", nil},
		{"an earlier answer in place of own words", asked, "0 Duck ctrl+r enter", answers(sqlite)},
		{"an earlier answer through a filter", asked, "/ postgres ctrl+r enter", answers(sqlite)},
		{"an earlier answer beside a note", asked, "ctrl+n soon ctrl+r enter ctrl+r enter", answers(noted(sqlite, "soon"))},

		{"two questions", two, "1 enter y enter enter", answers(pg, yes)},
		{"a note beside a choice", asked, "2 ctrl+n soon enter enter", answers(noted(sqlite, "soon"))},

		{"discuss", asked, "ctrl+d cost? enter", discusses("cost?")},
		{"discuss instead of dismissing", ask(name()), "ctrl+x why esc ctrl+d ? enter", discusses("why?")},
		{"what was to be discussed is there again", asked, "ctrl+d co esc 2 ctrl+d st enter", discusses("cost")},

		{"a note on the whole", two, "1 enter n enter ctrl+n soon enter enter", soon},
		{"back keeps everything", ask(name(), database()), "orders enter 2 shift+tab ! enter enter enter",
			answers(told("name", "orders!"), sqlite)},
		{"edit from the review", two, "1 enter n enter 1 3 enter enter", answers(none, no)},
		{"edit the one under the cursor", two, "1 enter n enter down e y enter enter", answers(pg, yes)},

		{"follow-up", ask(withFollowUp()), "1 enter 2 enter enter", answers(pg, told("version", "", "18"))},

		{"esc goes to the page before", ask(database(), name()), "2 enter ord esc 3 enter ers enter enter",
			answers(none, told("name", "orders"))},
		{"dismiss", asked, "ctrl+x enter", dismissed("")},
		{"ctrl+x, esc keeps everything", asked, "2 ctrl+x esc enter", answers(sqlite)},
		{"dismiss while typing", ask(name()), "ord ctrl+x later enter", dismissed("later")},
		{"reading sends nothing", ask(longestQuestion()), "tab enter", nil},
		{"listing the keys sends nothing", asked, "? enter", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := fresh(t, 80, 24, record(tt.qs...), answeredBefore(database(), sqlite)).show()
			r.checks = true
			r.keys(strings.Fields(tt.keys)...)
			if tt.want == nil {
				if len(r.sent) > 0 || r.quit || r.f.State() != Open {
					t.Fatalf("sent %+v, state %v, want an open form", r.sent, r.f.State())
				}
				return
			}
			if got := r.last(); !reflect.DeepEqual(got, *tt.want) {
				t.Errorf("sent %+v, want %+v", got, *tt.want)
			}
			if r.f.State() != Sent || !r.quit {
				t.Errorf("state %v, quit %v, want a form that was sent", r.f.State(), r.quit)
			}
		})
	}
}

// TestLongText shows that nothing typed is dropped: neither lines beyond the
// text area's own limits nor a paste that is too long.
func TestLongText(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat(strings.Repeat("a", 49)+"\n", question.MaxText/50))
	r := open(t, 80, 24, name())
	r.send(tea.PasteMsg{Content: long})
	r.send(tea.PasteMsg{Content: "far too long"})
	if !strings.Contains(r.screen(), "Too long to paste") {
		t.Errorf("the refusal is not shown:\n%s", r.screen())
	}
	r.checks = true
	r.keys("enter")
	if got := r.last().Answers[0].Custom; got != long {
		t.Errorf("sent %d bytes, want %d", len(got), len(long))
	}
}

// The footer says whether Enter sends, or follow-up questions are next: of several, with the rows that
// are marked, wherever the cursor is.
func TestOnward(t *testing.T) {
	some := noDefault(features())
	some.Options[1].FollowUps = []question.Question{name()}
	known := withFollowUp()
	known.Options[0].FollowUps[0].Collected = &question.Answer{QuestionID: "version", Selected: []string{"17"}}
	for _, tt := range []struct {
		q          question.Question
		keys, want string
	}{
		{withFollowUp(), "1", "next"},
		{withFollowUp(), "2", "send"},
		{known, "1", "send"},
		{withFollowUp(), "1 ctrl+y", "send"},
		{some, "1 down", "send"},
		{some, "2 up", "next"},
	} {
		r := open(t, 80, 24, tt.q).keys(strings.Fields(tt.keys)...)
		if got := r.f.onward(); got != tt.want {
			t.Errorf("%s: after %s enter is %q, want %q", tt.q.ID, tt.keys, got, tt.want)
		}
		if r.keys("enter"); (r.f.State() == Sent) != (tt.want == "send") {
			t.Errorf("%s: after %s enter the state is %v", tt.q.ID, tt.keys, r.f.State())
		}
	}
}
