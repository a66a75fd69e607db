package form

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

func optional(q question.Question) question.Question { q.Required = false; return q }

func closedChoice(q question.Question) question.Question { q.AllowCustom = false; return q }

func told(id string, custom string, selected ...string) question.Answer {
	return question.Answer{QuestionID: id, Selected: selected, Custom: custom, By: question.ByUser}
}

func noted(a question.Answer, note string) question.Answer {
	a.Note = note
	return a
}

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
// nothing.
func TestAnswers(t *testing.T) {
	ask := func(qs ...question.Question) []question.Question { return qs }
	answers := func(as ...question.Answer) *question.Reply { return &question.Reply{Answers: as} }
	prefilled := name()
	prefilled.Default = "orders"
	preset := database()
	preset.Options[1].Default = true
	ownWords := database()
	ownWords.Other = &question.Option{Label: "Something else", Description: "Tell me"}

	tests := []struct {
		name string
		qs   []question.Question
		keys []string
		want *question.Reply
	}{
		{"nothing pressed", ask(database()), nil, nil},
		{"a digit alone sends nothing", ask(database()), []string{"2"}, nil},
		{"enter alone answers nothing", ask(database()), []string{"enter"}, nil},
		{"the cursor's option with its number", ask(database()), []string{"1", "enter"}, answers(told("db", "", "pg"))},
		{"arrows and j, k", ask(database()), []string{"down", "j", "k", "enter"}, answers(told("db", "", "sqlite"))},
		{"digit, then enter", ask(database()), []string{"3", "enter"}, answers(told("db", "", "none"))},
		{"cursor wins over an earlier digit", ask(database()), []string{"3", "up", "enter"}, answers(told("db", "", "sqlite"))},
		{"a digit that is no option does nothing", ask(closedChoice(database())), []string{"7", "0", "enter"}, nil},
		{"cursor starts on the default", ask(preset), []string{"down", "enter"}, answers(told("db", "", "none"))},
		{"end and home", ask(closedChoice(database())), []string{"end", "home", "enter"}, answers(told("db", "", "pg"))},
		{"past the first to the last", ask(closedChoice(database())), []string{"up", "enter"}, answers(told("db", "", "none"))},
		{"past the last to the first", ask(closedChoice(database())), []string{"end", "down", "enter"}, answers(told("db", "", "pg"))},

		{"other", ask(database()), []string{"0", "Redis", "enter"}, answers(told("db", "Redis"))},
		{"other by the cursor", ask(database()), []string{"end", "enter", "Redis", "enter"}, answers(told("db", "Redis"))},
		{"empty other goes back", ask(database()), []string{"0", "enter", "space"}, nil},
		{"empty other is no way to skip", ask(optional(database())), []string{"0", "enter"}, nil},
		{"other of blanks goes back", ask(database()), []string{"0", "  ", "enter"}, nil},
		{"other left for an option", ask(database()), []string{"0", "Redis", "esc", "1", "enter"}, answers(told("db", "", "pg"))},
		{"other's text kept", ask(database()), []string{"0", "Red", "esc", "1", "0", "is", "enter"}, answers(told("db", "Redis"))},
		{"other in the asker's words", ask(ownWords), []string{"0", "Redis", "enter"}, answers(told("db", "Redis"))},
		{"digits and slashes are text in other", ask(database()), []string{"0", "1/2?", "enter"}, answers(told("db", "1/2?"))},

		{"filter and take", ask(database()), []string{"/", "memory", "enter", "enter"}, answers(told("db", "", "none"))},
		{"a letter begins no filter", ask(database()), []string{"memory", "enter", "enter"}, nil},
		{"filter alone sends nothing", ask(database()), []string{"/", "memory", "enter"}, nil},
		{"filter moves among what is left", ask(database()), []string{"/", "sql", "down", "enter", "enter"}, answers(told("db", "", "sqlite"))},
		{"esc leaves the filter", ask(database()), []string{"/", "memory", "esc", "up", "up", "enter"}, answers(told("db", "", "pg"))},
		{"backspace widens it", ask(database()), []string{"/", "memoryx", "backspace", "enter", "enter"}, answers(told("db", "", "none"))},

		{"several: enter alone answers nothing", ask(features()), []string{"enter"}, nil},
		{"several: no review of one question", ask(features()), []string{"down", "enter"}, answers(told("features", "", "search"))},
		{"several: space toggles", ask(features()), []string{"space", "down", "space", "enter"}, answers(told("features", "", "export"))},
		{"several: digits toggle", ask(features()), []string{"1", "3", "2", "enter"}, answers(told("features", "", "export", "audit"))},
		{"several: other beside options", ask(features()), []string{"0", "Dark mode", "enter", "enter"}, answers(told("features", "Dark mode", "search"))},
		{"several: other unmarked again", ask(features()), []string{"0", "Dark mode", "enter", "space", "enter"}, answers(told("features", "", "search"))},
		{"several: none is refused", ask(features()), []string{"1", "enter", "enter"}, nil},
		{"several: none where optional", ask(optional(features())), []string{"1", "enter"}, answers()},

		{"text", ask(name()), []string{"orders", "enter"}, answers(told("name", "orders"))},
		{"text of two lines", ask(name()), []string{"a", "ctrl+j", "b", "alt+enter", "c", "enter"}, answers(told("name", "a\nb\nc"))},
		{"text left empty is refused", ask(name()), []string{"enter"}, nil},
		{"text of blanks is refused", ask(name()), []string{"  ", "enter"}, nil},
		{"placeholder is no answer", ask(optional(name())), []string{"right", "enter"}, answers()},
		{"text default confirmed", ask(prefilled), []string{"right", "enter"}, answers(told("name", "orders"))},
		{"text default changed", ask(prefilled), []string{"-v2", "enter"}, answers(told("name", "orders-v2"))},

		{"yes", ask(deploy()), []string{"y", "enter"}, answers(told("deploy", "", question.YesID))},
		{"y alone sends nothing", ask(deploy()), []string{"y"}, nil},
		{"no preset yes", ask(noDefault(deploy())), []string{"enter", "space", "enter"}, nil},
		{"no preset yes where optional", ask(optional(noDefault(deploy()))), []string{"enter", "enter"}, nil},
		{"yes or no skipped", ask(optional(noDefault(deploy()))), []string{"s", "enter"}, answers()},
		{"yes by the cursor", ask(noDefault(deploy())), []string{"up", "enter"}, answers(told("deploy", "", question.YesID))},
		{"no by no number", ask(noDefault(deploy())), []string{"2", "enter", "1", "enter"}, nil},
		{"yes in Chinese", ask(deploy()), []string{"是", "enter"}, answers(told("deploy", "", question.YesID))},
		{"no in Chinese", ask(noDefault(deploy())), []string{"是", "否", "enter"}, answers(told("deploy", "", question.NoID))},
		{"boolean default", ask(deploy()), []string{"n", "enter"}, answers(told("deploy", "", question.NoID))},
		{"skip", ask(optional(database())), []string{"s", "enter"}, answers()},
		{"s alone sends nothing", ask(optional(database())), []string{"2", "s"}, nil},
		{"a skip taken back", ask(optional(database())), []string{"s", "down", "enter"}, answers(told("db", "", "sqlite"))},
		{"a skip taken back with a digit", ask(optional(database())), []string{"s", "2", "enter"}, answers(told("db", "", "sqlite"))},
		{"a skip, then a filter", ask(optional(database())), []string{"s", "/", "sql", "enter", "enter"}, answers()},
		{"several: skip", ask(optional(features())), []string{"s", "enter"}, answers()},
		{"no skip where required", ask(database()), []string{"s"}, nil},

		{"two questions", ask(database(), deploy()), []string{"1", "enter", "y", "enter", "enter"},
			answers(told("db", "", "pg"), told("deploy", "", question.YesID))},
		{"a note beside a single choice", ask(database()), []string{"2", "ctrl+n", "for now", "enter", "enter"}, answers(noted(told("db", "", "sqlite"), "for now"))},
		{"beside a yes or no", ask(deploy()), []string{"y", "ctrl+n", "on Monday", "esc", "enter"}, answers(noted(told("deploy", "", question.YesID), "on Monday"))},
		{"beside a text", ask(name()), []string{"orders", "ctrl+n", "or so", "enter", "enter"}, answers(noted(told("name", "orders"), "or so"))},
		{"a note alone answers nothing", ask(database(), closedChoice(optional(features()))), []string{"1", "enter", "s", "ctrl+n", "you choose", "enter", "enter", "enter"},
			answers(told("db", "", "pg"), noted(told("features", ""), "you choose"))},
		{"a note that was not confirmed is asked again", ask(database(), deploy()), []string{"1", "enter", "n", "enter", "e", "ctrl+n", "soon", "enter", "enter", "enter"},
			answers(noted(told("db", "", "pg"), "soon"), told("deploy", "", question.NoID))},

		{"discuss without a word", ask(database()), []string{"ctrl+d", "enter"}, discusses("")},
		{"discuss by its key", ask(database()), []string{"ctrl+d", "cost?", "enter"}, discusses("cost?")},
		{"its key alone sends nothing", ask(database()), []string{"ctrl+d"}, nil},
		{"nor does its key", ask(name()), []string{"ctrl+d", "ctrl+d"}, nil},
		{"discuss, then back", ask(database()), []string{"2", "ctrl+d", "why", "esc", "enter"}, answers(told("db", "", "sqlite"))},
		{"discuss from a text", ask(name()), []string{"half", "ctrl+d", "why?", "enter"}, discusses("why?")},
		{"discuss instead of dismissing", ask(name()), []string{"ctrl+x", "why", "esc", "ctrl+d", "?", "enter"}, discusses("why?")},
		{"the answers so far go along", ask(database(), features(), name()), []string{"2", "enter", "ctrl+n", "all?", "enter", "ctrl+d", "enter"},
			discusses("", told("db", "", "sqlite"), noted(told("features", ""), "all?"))},
		{"what was to be discussed is not sent with an answer", ask(database()), []string{"ctrl+d", "cost", "esc", "1", "enter"}, answers(told("db", "", "pg"))},
		{"nor one of several", ask(database(), deploy()), []string{"2", "enter", "ctrl+d", "cost", "esc", "n", "enter", "enter"}, answers(told("db", "", "sqlite"), told("deploy", "", question.NoID))},
		{"nor is the reason of a dismissal", ask(database()), []string{"ctrl+x", "later", "esc", "1", "enter"}, answers(told("db", "", "pg"))},
		{"what was to be discussed is there again", ask(database()), []string{"ctrl+d", "co", "esc", "2", "ctrl+d", "st", "enter"}, discusses("cost")},
		{"beside the note of the review", ask(features(), deploy()), []string{"down", "enter", "n", "enter", "ctrl+n", "soon", "enter", "ctrl+d", "cost", "enter"}, discusses("soon\ncost", told("features", "", "search"), told("deploy", "", question.NoID))},

		{"note", ask(database(), deploy()), []string{"1", "enter", "n", "enter", "ctrl+n", "soon", "enter", "enter"},
			&question.Reply{Note: "soon", Answers: []question.Answer{told("db", "", "pg"), told("deploy", "", question.NoID)}}},
		{"back keeps everything", ask(name(), database()), []string{"orders", "enter", "2", "shift+tab", "!", "enter", "enter", "enter"},
			answers(told("name", "orders!"), told("db", "", "sqlite"))},
		{"edit from the review", ask(database(), deploy()), []string{"1", "enter", "n", "enter", "1", "3", "enter", "enter"},
			answers(told("db", "", "none"), told("deploy", "", question.NoID))},
		{"edit the one under the cursor", ask(database(), deploy()), []string{"1", "enter", "n", "enter", "down", "e", "y", "enter", "enter"},
			answers(told("db", "", "pg"), told("deploy", "", question.YesID))},
		{"a change that was not confirmed is asked again", ask(database(), features(), deploy()),
			[]string{"1", "enter", "down", "enter", "n", "enter", "2", "2", "shift+tab", "enter", "enter", "enter"},
			answers(told("db", "", "pg"), told("features", "", "search", "export"), told("deploy", "", question.NoID))},

		{"follow-up", ask(withFollowUp()), []string{"1", "enter", "2", "enter", "enter"}, answers(told("db", "", "pg"), told("version", "", "18"))},
		{"follow-up not brought up", ask(withFollowUp()), []string{"2", "enter"}, answers(told("db", "", "sqlite"))},
		{"follow-up's answer kept, sent only when shown", ask(withFollowUp()),
			[]string{"1", "enter", "2", "enter", "1", "2", "enter", "enter"}, answers(told("db", "", "sqlite"))},
		{"a choice that hides the follow-up is reviewed all the same", ask(withFollowUp()), []string{"1", "enter", "shift+tab", "2", "enter"}, nil},
		{"follow-up's answer comes back", ask(withFollowUp(), deploy()),
			[]string{"1", "enter", "2", "enter", "n", "enter", "1", "2", "enter", "1", "1", "enter", "enter"},
			answers(told("db", "", "pg"), told("version", "", "18"), told("deploy", "", question.NoID))},

		{"esc closes nothing", ask(database()), []string{"esc", "esc"}, nil},
		{"and enter after it is that of the page", ask(database()), []string{"2", "esc", "enter"}, answers(told("db", "", "sqlite"))},
		{"esc, esc", ask(name()), []string{"ord", "esc", "esc", "ers", "enter"}, answers(told("name", "orders"))},
		{"esc goes to the page before", ask(database(), name()), []string{"2", "enter", "ord", "esc", "3", "enter", "ers", "enter", "enter"}, answers(told("db", "", "none"), told("name", "orders"))},
		{"esc leaves the review", ask(database(), deploy()), []string{"1", "enter", "n", "enter", "esc", "y", "enter", "enter"}, answers(told("db", "", "pg"), told("deploy", "", question.YesID))},
		{"dismiss", ask(database()), []string{"ctrl+x", "enter"}, &question.Reply{Dismissed: true}},
		{"x alone closes nothing", ask(database()), []string{"ctrl+x"}, nil},
		{"x, esc keeps everything", ask(database()), []string{"2", "ctrl+x", "esc", "enter"}, answers(told("db", "", "sqlite"))},
		{"x is text where text is typed", ask(name()), []string{"x", "enter"}, answers(told("name", "x"))},
		{"dismiss while typing", ask(name()), []string{"ord", "ctrl+x", "not now", "enter"}, &question.Reply{Dismissed: true, Reason: "not now"}},
		{"dismiss while writing a note", ask(database()), []string{"ctrl+n", "ord", "ctrl+x", "not now", "enter"}, &question.Reply{Dismissed: true, Reason: "not now"}},
		{"dismiss while filtering", ask(database()), []string{"/", "sql", "ctrl+x", "enter"}, &question.Reply{Dismissed: true}},
		{"dismiss with a reason", ask(database()), []string{"ctrl+x", "not now", "enter"}, &question.Reply{Dismissed: true, Reason: "not now"}},
		{"reason kept", ask(database()), []string{"ctrl+x", "not", "esc", "ctrl+x", " now", "enter"}, &question.Reply{Dismissed: true, Reason: "not now"}},
		{"dismiss from the review", ask(database(), features()), []string{"1", "enter", "down", "enter", "ctrl+x", "enter"}, &question.Reply{Dismissed: true}},
		{"reading sends nothing", ask(longestQuestion()), []string{"tab", "enter"}, nil},
		{"nor does it where all is shown", ask(database()), []string{"1", "tab", "enter"}, nil},
		{"listing the keys sends nothing", ask(database()), []string{"?", "enter"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := open(t, 80, 24, tt.qs...)
			r.checks = true
			r.keys(tt.keys...)
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

func TestCollectedQuestionIsNotAsked(t *testing.T) {
	q := withFollowUp()
	q.Collected = &question.Answer{QuestionID: "db", Selected: []string{"pg"}, By: question.ByCaller}
	r := open(t, 80, 24, q).keys("2", "enter")
	if got, want := r.last().Answers, []question.Answer{told("version", "", "18")}; !reflect.DeepEqual(got, want) {
		t.Errorf("sent %+v, want %+v", got, want)
	}

	q.Collected.Selected = []string{"sqlite"} // its follow-ups stay hidden
	r = open(t, 80, 24, q, deploy()).keys("y", "enter")
	if got, want := r.last().Answers, []question.Answer{told("deploy", "", question.YesID)}; !reflect.DeepEqual(got, want) {
		t.Errorf("sent %+v, want %+v", got, want)
	}
}

func TestPaste(t *testing.T) {
	r := open(t, 80, 24, name())
	r.send(tea.PasteMsg{Content: "line one\r\nline two\nenter"})
	if len(r.sent) > 0 {
		t.Fatal("a paste was sent")
	}
	r.keys("enter")
	if got, want := r.last().Answers[0].Custom, "line one\nline two\nenter"; got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
}

func TestPasteIntoChoiceDoesNothing(t *testing.T) {
	r := open(t, 80, 24, database())
	r.send(tea.PasteMsg{Content: "2\r\n"})
	if r.keys("enter"); len(r.sent) > 0 {
		t.Errorf("a paste moved the choice: %+v", r.sent)
	}
}

// TestLongText shows that nothing typed is dropped: neither lines beyond the
// text area's own limits nor a paste that is too long.
func TestLongText(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("a\n", question.MaxText/2))
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

// TestOverlongOther keeps an answer that the domain refuses on its page, where it
// can be put right.
func TestOverlongOther(t *testing.T) {
	r := open(t, 80, 24, database(), deploy())
	r.keys("0")
	r.send(tea.PasteMsg{Content: strings.Repeat("字", question.MaxText)})
	r.keys("x", "enter")
	if got := r.screen(); !strings.Contains(got, "must be at most 10000 characters") || !strings.Contains(got, "1 of 2") {
		t.Errorf("want the limit on the first page, got:\n%s", got)
	}
	r.keys("0", "backspace", "enter")
	if got := r.screen(); !strings.Contains(got, "2 of 2") {
		t.Errorf("want the second page, got:\n%s", got)
	}
}

// A note takes the keyboard only until it is done.
func TestTextAfterNote(t *testing.T) {
	r := open(t, 80, 24, name()).keys("ord", "ctrl+n", "soon", "enter", "ers", "enter")
	if got, want := r.last().Answers[0], noted(told("name", "orders"), "soon"); !reflect.DeepEqual(got, want) {
		t.Errorf("answered %+v, want %+v", got, want)
	}
}

// Leaving a page in the middle of a word changes no other page.
func TestBackFromEmptyOther(t *testing.T) {
	r := open(t, 80, 24, features(), database())
	r.keys("0", "a", "enter", "enter", "0", "b", "enter", "shift+tab", "0", "backspace", "shift+tab")
	if got := r.f.page().question(); got.ID != "features" || got.Answer().Custom != "a" {
		t.Errorf("the first page has %+v", got.Answer())
	}
}

// In a list of more than nine options digits spell a number: they move the cursor, and mark
// nothing. What follows them is a new number where the list has no such row.
func TestDigitsSpellRows(t *testing.T) {
	many := twenty()
	many.Type = question.MultiChoice
	for _, tc := range []struct {
		name string
		q    question.Question
		keys []string
		want string
	}{
		{"one digit", twenty(), []string{"1", "enter"}, "r1"},
		{"two digits", twenty(), []string{"1", "2", "enter"}, "r12"},
		{"two digits at once", twenty(), []string{"20", "enter"}, "r20"},
		{"a ten", twenty(), []string{"1", "0", "enter"}, "r10"},
		{"the first row is no digit that was typed", twenty(), []string{"2", "enter"}, "r2"},
		{"a number that no row has", twenty(), []string{"2", "5", "enter"}, "r5"},
		{"a third digit begins anew", twenty(), []string{"1", "2", "3", "enter"}, "r3"},
		{"a move between", twenty(), []string{"1", "down", "2", "enter"}, "r2"},
		{"through the filter", twenty(), []string{"/", "region b", "enter", "1", "2", "enter"}, "r12"},
		{"several", many, []string{"1", "2", "space", "3", "space", "1", "enter"}, "r3 r12"},
		{"several, of one digit", many, []string{"1", "space", "5", "space", "enter"}, "r1 r5"},
		{"several, not marked", many, []string{"1", "2", "enter"}, ""},
	} {
		r := open(t, 80, 24, tc.q).keys(tc.keys...)
		got := ""
		if len(r.sent) > 0 {
			got = strings.Join(r.last().Answers[0].Selected, " ")
		}
		if got != tc.want {
			t.Errorf("%s: sent %q, want %q:\n%s", tc.name, got, tc.want, r.screen())
		}
	}
	r := fresh(t, 80, 24, record(twenty())).show().keys("1", "2", "enter")
	if got := r.last().Answers[0].Selected; !slices.Equal(got, []string{"r12"}) {
		t.Errorf("in a form where nothing is preselected: %v", got)
	}
}
