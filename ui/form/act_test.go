package form

import (
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

// types presses the keys of a text, the next one so long after each; ⏎ is Enter.
func (r *rig) types(text string, pace time.Duration) *rig {
	r.t.Helper()
	for _, k := range termtest.Sentence(text) {
		r.send(k)
		r.wait(pace)
	}
	return r
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

// paces are those at which people type.
var paces = []time.Duration{80 * ms, 130 * ms, 200 * ms}

// kinds are pages of every kind.
func kinds() map[string][]question.Question {
	return map[string][]question.Question{
		"list": {database()}, "several": {features()}, "yes or no": {noDefault(deploy())}, "default": {deploy()},
		"text": {name()}, "two": {noDefault(deploy()), database()}, "optional": {optional(database())},
	}
}

// TestTypedElsewhere: the user types a sentence to another program while the form appears; in a second
// run the user pauses until the form takes keys, and then types on. The form sends nothing. Where the
// first keys marked an option, the first key without a meaning in the form unmarks it.
func TestTypedElsewhere(t *testing.T) {
	for kind, qs := range kinds() {
		for _, sentence := range []string{
			"yes, but keep the old one⏎", "2 of them are enough⏎", "no way⏎", "just kidding, go back 1 step⏎", "y 2 fine⏎",
			"/tmp has 2 of them, delete⏎", "git push⏎y⏎", "sounds good⏎now write the tests⏎", "y⏎",
			"x marks the spot⏎", "x⏎", "d⏎", "do it⏎yes⏎", "delete 2⏎", "kjd⏎", "dd⏎", "2x⏎",
		} {
			for _, pace := range paces {
				r := appeared(t, 80, 24, qs...).wait(pace)
				r.types(sentence, pace).wait(time.Second).untouched(kind, sentence, pace, "without a pause")
				if kind == "text" || sentence == "y⏎" && (kind == "yes or no" || kind == "default" || kind == "two") {
					continue // after a pause an answer, for all that anybody can tell
				}
				r = appeared(t, 80, 24, qs...).wait(time.Second).types(sentence, pace).wait(time.Second)
				if r.f.entry != nil { // the slash began a filter, which is no mark
					r.keys("esc")
				}
				r.untouched(kind, sentence, pace)
			}
		}
	}
}

// TestLoneEnter: Enter that is meant for another program, after any pause and
// however often, answers nothing, whatever the question declares or was answered
// before. A space helps it only in a list of several, where it marks the row of the cursor.
func TestLoneEnter(t *testing.T) {
	half := question.Reply{Note: "soon", Answers: []question.Answer{told("db", "", "sqlite"), told("deploy", "", question.YesID), told("name", "orders")}}
	lone := kinds()
	lone["yes"] = []question.Question{yesDeclared()}
	lone["no question is required"] = []question.Question{optional(deploy()), optional(name()), optional(features())}
	lone["text default"], lone["optional text"] = []question.Question{proposed(name())}, []question.Question{optional(name())}
	lone["draft"] = []question.Question{database(), deploy(), name()}
	for kind, qs := range lone {
		for i, typing := range termtest.LoneEnters(100) {
			for _, before := range []string{"", "space"} {
				if before != "" && (!qs[0].Chooses() || qs[0].Several() || i >= 12) { // of several a space marks the first
					continue
				}
				var opts []option
				if kind == "draft" {
					opts = append(opts, withDraft(half))
				}
				r := fresh(t, 80, 24, record(qs...), append(opts, withOrigin(gate.Appeared))...).show()
				first := r.f.set.Draft()
				for _, blow := range typing {
					r.wait(blow.After)
					if blow.Keys == "\r" && before != "" {
						r.keys(before)
					}
					if blow.Keys == "\r" || qs[0].Chooses() { // where text is typed nothing tells it from an answer
						r.types(strings.ReplaceAll(blow.Keys, "\r", "⏎"), 0)
					}
				}
				if r.wait(time.Second); len(r.sent) > 0 || r.f.State() != Open || !sameDraft(r.f.set.Draft(), first) || r.f.set.Current().ID != r.f.rec.Questions[0].ID {
					t.Fatalf("%s: %q left %+v, sent %+v; the screen:\n%s", kind, termtest.Typed(typing), r.f.set.Draft(), r.sent, r.screen())
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

// TestBackOnTheFirstPage: a key that leads to the page before is known on the first one
// too, and takes no mark away.
func TestBackOnTheFirstPage(t *testing.T) {
	for _, key := range []string{"left", "shift+tab", "ctrl+b"} {
		r := appeared(t, 80, 24, database()).wait(time.Minute).keys("2", key)
		if got := r.f.set.Draft(); len(got.Answers) != 1 || !same(got.Answers[0], told("db", "", "sqlite")) {
			t.Errorf("%s: left %+v", key, got)
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
		r.wait(130*ms).types(reason, 130*ms).wait(250*ms).types("⏎", time.Second)
		if got := r.last(); !got.Dismissed || got.Reason != reason {
			t.Errorf("want the reason %q, got %+v", reason, got)
		}
	}
}

// TestMeant: the form is there and quiet, and the user answers. The answer is
// sent 150 ms after Enter at the latest, also of quick hands.
func TestMeant(t *testing.T) {
	for _, tt := range []struct {
		q    question.Question
		keys string
		want question.Answer
	}{
		{database(), "2⏎", told("db", "", "sqlite")},
		{database(), "1⏎", told("db", "", "pg")},
		{database(), "jj⏎", told("db", "", "none")},
		{database(), "13⏎", told("db", "", "none")},
		{database(), "0Redis⏎", told("db", "Redis")},
		{noDefault(deploy()), "y⏎", told("deploy", "", question.YesID)},
		{noDefault(deploy()), "n⏎", told("deploy", "", question.NoID)},
		{name(), "orders, yes⏎", told("name", "orders, yes")},
	} {
		for _, origin := range []gate.Origin{gate.Appeared, gate.Opened} {
			for _, pace := range append(paces, 5*ms, 30*ms) {
				r := fresh(t, 80, 24, record(tt.q), withOrigin(origin)).show()
				keys, _ := strings.CutSuffix(tt.keys, "⏎")
				if origin == gate.Appeared {
					r.wait(gate.Quiet)
				}
				r.types(keys, pace).types("⏎", 150*ms)
				if len(r.sent) != 1 || !same(r.sent[0].Answers[0], tt.want) {
					t.Errorf("%q at %v: sent %+v, want %+v", tt.keys, pace, r.sent, tt.want)
				}
			}
		}
	}
}

// TestRollback: what a run did on several pages is taken back from the first
// foreign key on, and what stood before it stays.
func TestRollback(t *testing.T) {
	r := appeared(t, 80, 24, withFollowUp(), features())
	r.wait(time.Second).types("2", time.Second) // meant
	before := r.screen()
	r.types("1⏎2", 200*ms)
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
		r.types("2⏎", 200*ms).wait(time.Second)
		r.untouched(size)
		r.w, r.h = 80, 24
		r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
		r.types("2⏎", 200*ms).untouched(size, "seen again")
		r.wait(time.Second).types("2⏎", 200*ms)
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
