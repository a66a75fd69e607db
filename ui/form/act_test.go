package form

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
)

const ms = time.Millisecond

// appeared shows a set in a form that the user did not open.
func appeared(t testing.TB, w, h int, qs ...question.Question) *rig {
	t.Helper()
	return fresh(t, w, h, record(qs...), withOrigin(gate.Appeared)).show()
}

// types presses the keys of a text, the next one so long after each; "\r" is Enter.
func (r *rig) types(text string, pace time.Duration) *rig {
	r.t.Helper()
	for _, k := range termtest.Messages(text) {
		r.send(k)
		r.wait(pace)
	}
	return r
}

// play types blow after blow, and then waits.
func (r *rig) play(typing []termtest.Blow) *rig {
	r.t.Helper()
	for _, blow := range typing {
		r.wait(blow.After).types(blow.Keys, 0)
	}
	return r.wait(time.Second)
}

// untouched fails when a form has sent anything, or holds anything that the
// user chose or typed.
func (r *rig) untouched(context ...any) {
	r.t.Helper()
	if len(r.sent) > 0 || r.f.State() != Open {
		r.t.Errorf("%v: sent %+v, state %v", context, r.sent, r.f.State())
	} else if d := r.f.set.Draft(); !sameDraft(d, question.Reply{}) ||
		r.f.set.Current().ID != r.f.rec.Questions[0].ID || r.f.field == ending {
		r.t.Errorf("%v: left %+v; the screen:\n%s", context, d, r.screen())
	}
}

// kinds are pages of every kind.
func kinds() map[string][]question.Question {
	return map[string][]question.Question{
		"list": {database()}, "several": {features()}, "yes or no": {noDefault(deploy())}, "default": {deploy()},
		"text": {name()}, "two": {noDefault(deploy()), database()}, "optional": {optional(database())},
	}
}

// TestTypings: the form appears while the user types to another program, and sends none of these keys. In a text
// field, keys after a pause cannot be told from an answer.
func TestTypings(t *testing.T) {
	pauses := func(b termtest.Blow) bool { return b.After >= gate.Quiet }
	for kind, qs := range kinds() {
		for _, typing := range termtest.Typings(60) {
			if kind == "text" && slices.ContainsFunc(typing, pauses) {
				continue
			}
			if r := appeared(t, 80, 24, qs...).play(typing); len(r.sent) > 0 || r.f.State() != Open {
				t.Errorf("%s: %q sent %+v, state %v", kind, termtest.Typed(typing), r.sent, r.f.State())
			}
		}
	}
}

// TestLoneEnter: Enter that is meant for another program, after any pause and
// however often, answers nothing, whatever the question declares or was answered
// before. A space helps it only in a list of several, where it marks the row of the cursor.
func TestLoneEnter(t *testing.T) {
	half := question.Reply{Note: "soon", Answers: []question.Answer{
		told("db", "", "sqlite"), told("deploy", "", question.YesID), told("name", "orders"),
	}}
	lone := kinds()
	lone["yes"] = []question.Question{yesDeclared()}
	lone["no question is required"] = []question.Question{optional(deploy()), optional(name()), optional(features())}
	lone["text default"], lone["optional text"] = []question.Question{proposed(name())}, []question.Question{optional(name())}
	lone["draft"] = []question.Question{database(), deploy(), name()}
	for kind, qs := range lone {
		chooses, several := qs[0].Chooses(), qs[0].Several()
		for _, typing := range termtest.LoneEnters(24) {
			for _, before := range []string{"", " "} {
				if before != "" && (!chooses || several) {
					continue
				}
				opts := []option{withOrigin(gate.Appeared)}
				if kind == "draft" {
					opts = append(opts, withDraft(half))
				}
				var typed []termtest.Blow
				for _, blow := range typing {
					blow.Keys = strings.ReplaceAll(blow.Keys, "\r", before+"\r")
					if blow.Keys == "\r" || chooses { // where text is typed nothing tells it from an answer
						typed = append(typed, blow)
					}
				}
				r := fresh(t, 80, 24, record(qs...), opts...).show()
				first := r.f.set.Draft()
				r.play(typed)
				if len(r.sent) > 0 || r.f.State() != Open || !sameDraft(r.f.set.Draft(), first) ||
					r.f.set.Current().ID != r.f.rec.Questions[0].ID {
					t.Fatalf("%s: %q left %+v, sent %+v; the screen:\n%s",
						kind, termtest.Typed(typed), r.f.set.Draft(), r.sent, r.screen())
				}
			}
		}
	}
}

// TestFirstAct: in a form that appeared by itself Enter says which keys answer, on
// each page, and an arrow or a number has it count. What is proposed takes the same.
func TestFirstAct(t *testing.T) {
	preset := database()
	preset.Options[1].Default = true
	for _, tt := range []struct {
		name string
		ask  question.Question
		keys string
		want question.Answer
	}{
		{"a number", database(), "2", told("db", "", "sqlite")},
		{"keys that go back take no mark away", database(), "2 left shift+tab ctrl+b", told("db", "", "sqlite")},
		{"up", database(), "down up", told("db", "", "pg")},
		{"from the default", preset, "down", told("db", "", "none")},
		{"to what the filter leaves", database(), "/ memory enter", told("db", "", "none")},
		{"to a yes", yesDeclared(), "up", told("deploy", "", question.YesID)},
		{"text", proposed(name()), "right", told("name", "orders")},
	} {
		r := appeared(t, 40, 10, tt.ask).wait(time.Minute)
		if r.keys("enter"); !strings.Contains(r.screen(), "Enter alone") || len(r.sent) > 0 {
			t.Errorf("%s: sent %+v; the screen:\n%s", tt.name, r.sent, r.screen())
		}
		if r.keys(strings.Fields(tt.keys)...).keys("enter"); !same(r.last().Answers[0], tt.want) {
			t.Errorf("%s: sent %+v, want %+v", tt.name, r.last(), tt.want)
		}
	}
}

// proposed is a question in text with a default.
func proposed(q question.Question) question.Question { q.Default = "orders"; return q }

// yesDeclared is a question that declares yes as its default.
func yesDeclared() question.Question {
	q := noDefault(deploy())
	q.Options[0].Default = true
	return q
}

// TestDismissalKeepsWhatIsTyped: what is typed right after the key that asks whether to
// dismiss is the reason, also in a form that appeared by itself.
func TestDismissalKeepsWhatIsTyped(t *testing.T) {
	for _, reason := range []string{"", "not now"} {
		r := appeared(t, 80, 24, database()).wait(time.Second)
		r.send(termtest.Keys("ctrl+x")[0])
		r.wait(130*ms).types(reason, 130*ms).wait(250*ms).types("\r", time.Second)
		if got := r.last(); !got.Dismissed || got.Reason != reason {
			t.Errorf("want the reason %q, got %+v", reason, got)
		}
	}
}

// TestRollback: what a run did on several pages is taken back from the first
// foreign key on, and what stood before it stays.
func TestRollback(t *testing.T) {
	r := appeared(t, 80, 24, withFollowUp(), features())
	r.wait(time.Second).types("2", time.Second) // meant
	before := r.screen()
	r.types("1\r2", 200*ms)
	if !strings.Contains(r.screen(), "Which version") {
		t.Fatalf("not on the next page:\n%s", r.screen())
	}
	if r.types("z", 200*ms); !strings.Contains(r.screen(), "waiting for a pause") {
		t.Errorf("not said:\n%s", r.screen())
	}
	if r.wait(time.Second); r.screen() != before {
		t.Errorf("not taken back:\n%s\nwant:\n%s", r.screen(), before)
	}
	r.types("0Red", 200*ms).keys("esc", "x", "w")
	if r.wait(time.Second); r.screen() != before {
		t.Errorf("not taken back:\n%s\nwant:\n%s", r.screen(), before)
	}
	if r.keys("0"); !strings.Contains(r.screen(), "(Your own answer)") {
		t.Errorf("text of the run is left:\n%s", r.screen())
	}
}

// TestUnseen: a terminal that is too small to show the question takes no keys
// but Ctrl+C, and what comes into view again waits for quiet.
func TestUnseen(t *testing.T) {
	for _, size := range [][2]int{{term.MinWidth - 1, 24}, {80, term.MinHeight - 1}, {1, 1}, {3, 3}} {
		r := open(t, size[0], size[1], database())
		checkScreen(t, r)
		r.types("2\r", 200*ms).wait(time.Second)
		r.untouched(size)
		r.w, r.h = 80, 24
		r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
		r.types("2\r", 200*ms).untouched(size, "seen again")
		r.wait(time.Second).types("2\r", 200*ms)
		if got := r.last().Answers[0]; !same(got, told("db", "", "sqlite")) {
			t.Errorf("sent %+v", got)
		}
	}
	check(t, "too-small", open(t, 40, 5, database()).screen())
	r := open(t, 10, 3, database())
	if r.keys("ctrl+c"); r.f.State() != Aborted {
		t.Errorf("Ctrl+C does not leave: %v", r.f.State())
	}
}
