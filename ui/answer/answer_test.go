package answer

import (
	"fmt"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// TestScripts plays acts on every type of question and says what they lead to.
func TestScripts(t *testing.T) {
	remembered := Options{Memory: map[string]desk.Memory{
		"db": {Answer: answered("db", "", "lite")}, "feat": {Answer: answered("feat", "Search", "b")},
		"name": {Answer: answered("name", "shop")}, "ok": {Answer: answered("ok", "", question.NoID)},
	}}
	sheet, touch := Options{Sheet: true}, Options{MustTouch: true}
	for _, tt := range []struct {
		name   string
		qs     []question.Question
		o      Options
		script string
		want   string
	}{
		// One of several options.
		{"one", ask(one()), Options{}, "choose 2; next", "db=lite|"},
		{"one, declared default is not taken by itself", ask(proposing(one(), "")), Options{}, "next ! required", "db 1/1"},
		{"one, accept takes the place of nothing", ask(optional(proposing(one(), ""))), Options{}, "skip; accept; next", "db=pg|"},
		{"one, nothing to accept or to recall", ask(one()), Options{}, "accept ! nothing; recall ! nothing", "db 1/1"},
		{"one, other", ask(one()), Options{}, "choose other; next ! no words; text DuckDB ; next", "db=|DuckDB"},
		{"one, words stay when the choice changes", ask(one()), Options{}, "text DuckDB; choose other; choose 1; choose other; next", "db=|DuckDB"},
		{"one, filled with other and words", ask(one()), Options{}, "put other: DuckDB; next", "db=|DuckDB"},
		{"one, filled with two", ask(one()), Options{}, "put 1 2; next ! violations; put 1; next", "db=pg|"},
		{"one, filled with words beside", ask(one()), Options{}, "put 1: DuckDB; next ! violations", "db 1/1"},
		{"one, no such row", ask(one()), Options{}, "choose 9 ! not here; unchoose 9 ! not here; put 9 ! not here; choose 0 ! not here", "db 1/1"},
		{"one, without other", ask(closed(one())), Options{}, "text x ! not here; put : x ! not here; choose other ! not here; choose 1; next", "db=pg|"},
		{"one, not left open after all", ask(optional(one())), Options{}, "skip; choose 1; next", "db=pg|"},
		{"one, left open and not", ask(optional(one())), Options{}, "skip; unchoose open; next", ""},
		{"one, filled open and not", ask(optional(one())), Options{}, "put 1 open; next", "db=pg|"},
		{"one, required is not skipped", ask(one()), Options{}, "skip ! required; choose open ! not here", "db 1/1"},
		{"one, recalled", ask(one()), remembered, "recall; next", "db=lite|"},
		{"one, noted and skipped", ask(optional(one())), Options{}, "note why?; skip; next", "db=|(why?)"},

		// Left to the agent.
		{"one, left to the agent", ask(one()), touch, "delegate; next", "db=|(delegated)"},
		{"one, left to the agent after a choice", ask(one()), Options{}, "choose 1; delegate; note you know best; next", "db=|(delegated)(you know best)"},
		{"several, not left to the agent after all", ask(several()), Options{}, "delegate; put 2; next; next", "feat=b|"},
		{"text, left to the agent", ask(proposing(text(), "shop")), Options{}, "delegate; next", "name=|(delegated)"},
		{"text, left to the agent after words", ask(text()), Options{},
			"text shop; delegate; next", "name=|(delegated)"},
		{"text, not left to the agent after all", ask(text()), Options{},
			"text shop; delegate; text shop 2; next", "name=|shop 2"},
		{"no follow-up of what is left to the agent", ask(nested()), Options{}, "choose 1; next; back; delegate; next; next", "q0=|(delegated)"},
		{"yes or no is never left to the agent", ask(yesNo()), Options{}, "delegate ! not here; next ! required", "ok 1/1"},

		// Several options.
		{"several, none", ask(several()), Options{}, "unchoose 1; unchoose 3; next ! required", "feat 1/1"},
		{"several, none is left open", ask(optional(several())), Options{}, "unchoose 1; unchoose 3; next; next", ""},
		{"several and other without words", ask(several()), Options{}, "choose other; next ! no words; unchoose other; next; next", "feat=a,c|"},
		{"several, recalled", ask(several()), remembered, "recall; next; next", "feat=b|Search"},

		// Text.
		{"text, empty", ask(text()), Options{}, "text  ; next ! required", "name 1/1"},
		{"text as declared", ask(proposing(text(), "shop")), Options{}, "next", "name=|shop"},
		{"text, declared row", ask(proposing(text(), "shop")), Options{}, "choose proposed; next", "name=|shop"},
		{"text, declared row taken off", ask(proposing(text(), "shop")), Options{},
			"choose proposed; unchoose proposed; next ! required", "name 1/1"},
		{"text other than declared", ask(proposing(text(), "shop")), Options{}, "text kiosk; next", "name=|kiosk"},
		{"text, own words wanted", ask(text()), Options{}, "choose other; next ! no words; text shop; next", "name=|shop"},
		{"text, own words wanted and the declared", ask(proposing(text(), "shop")), Options{},
			"choose other; choose proposed; next", "name=|shop"},
		{"text skipped", ask(optional(proposing(text(), "shop"))), Options{}, "skip; next", ""},
		{"text recalled", ask(text()), remembered, "text x; recall; next", "name=|shop"},
		{"text too long", ask(text()), Options{}, "text " + strings.Repeat("x", question.MaxText+1) + "; next ! violations", "name 1/1"},
		{"note too long", ask(text()), Options{}, "text x; note " + strings.Repeat("x", question.MaxText+1) + "; next ! violations", "name 1/1"},

		// Yes or no.
		{"no", ask(yesNo()), Options{}, "choose yes; choose no; next", "ok=false|"},
		{"neither", ask(yesNo()), Options{}, "next ! required; text x ! not here", "ok 1/1"},
		{"a declared yes is not taken by itself", ask(proposing(yesNo(), "")), Options{}, "next ! required; accept; next", "ok=true|"},

		// A surface that appeared by itself.
		{"must touch", ask(proposing(text(), "shop")), touch, "next ! untouched; touch; next", "name=|shop"},
		{"must touch, optional", ask(optional(one())), touch, "next ! untouched; skip; next", ""},
		{"must touch, several", ask(several()), touch, "next ! untouched; touch; next; next", "feat=a,c|"},
		{"must touch, draft", ask(one()), Options{MustTouch: true,
			Draft: question.Reply{Answers: []question.Answer{answered("db", "", "pg")}}},
			"next ! untouched; accept; next; next", "db=pg|"},
		{"must touch, back", ask(one(), yesNo()), touch, "put 1; next; back; next; choose no; next; next",
			"db=pg| ok=false|"},

		// From step to step.
		{"two, sent", ask(one(), yesNo()), Options{}, "choose 1; next; choose no; next; next", "db=pg| ok=false|"},
		{"back leaves confirmed", ask(one(), text(), yesNo()), Options{}, "choose 1; next; text x; next; back; back; choose 2; next", "ok 3/3"},
		{"goto", ask(one(), yesNo()), Options{}, "goto ok; choose no; next; next ! unconfirmed", "db 1/2"},
		{"changed and not confirmed", ask(one(), yesNo()), Options{}, "choose 1; next; choose no; next; goto db; choose 2; goto ok; next; next ! unconfirmed; next; next", "db=lite| ok=false|"},
		{"a note on the whole", ask(one(), yesNo()), Options{}, "choose 1; next; choose no; next; note soon; next", "db=pg| ok=false| note:soon"},
		{"a note too long on the whole", ask(one()), Options{}, "choose 1; next; review; note " +
			strings.Repeat("x", question.MaxText+1) + "; next",
			"refused Validation failed\n- note: must be at most 10000 characters long, is 10001"},
		{"the review before its time", ask(one(), yesNo()), Options{}, "review; next ! unconfirmed", "db 1/2"},
		{"a note beside one", ask(one()), Options{}, "review; note soon; back; choose 1; next; next", "db=pg| note:soon"},

		// Follow-ups.
		{
			"all levels", ask(nested(), yesNo()), Options{},
			"choose 1; next; choose 1; choose 2; next; choose yes; next; text x; next; choose no; next; next",
			"q0=deep| q1=x,y| q2=true| q3=|x ok=false|",
		},
		{"closed again", ask(nested()), Options{}, "choose 1; next; choose 1; next; back; back; choose 2; next; next", "q0=flat|"},
		{"open again", ask(nested()), Options{}, "choose 1; next; choose 2; next; goto q0; choose 2; next; back; choose 1; next; next", "q0=deep| q1=y|"},
		{"marked is not open yet", ask(nested()), Options{}, "choose 1", "q0 1/1"},
		{"marked is open on a sheet", ask(nested()), sheet, "choose 1", "q0 1/2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := New(record(tt.qs...), tt.o)
			ready := play(t, d, tt.script)
			if got := result(t, d, ready); got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.script, got, tt.want)
			}
		})
	}
}

// TestChoices says what can be chosen, with its marks.
func TestChoices(t *testing.T) {
	worded := one()
	worded.Other = &question.Option{Label: "Another"}
	for _, tt := range []struct {
		name   string
		q      question.Question
		o      Options
		script string
		want   string
	}{
		{"one", one(), Options{}, "", "1.PostgreSQL 2.SQLite 3.None other"},
		{"one, declared", optional(proposing(one(), "")), Options{}, "", "1.PostgreSQL+ 2.SQLite 3.None other open"},
		{"one, other", worded, Options{}, "choose other", "1.PostgreSQL 2.SQLite 3.None other*"},
		{"one, skipped", optional(one()), Options{}, "choose 2; skip", "1.PostgreSQL 2.SQLite 3.None other open*"},
		{"several on a page", several(), Options{}, "", "1.Auth*+ 2.Logs 3.Mail*+ other"},
		{"several on a sheet", closed(several()), Options{Sheet: true}, "", "1.Auth+ 2.Logs 3.Mail+"},
		{"yes or no", yesNo(), Options{}, "choose no", "yes no*"},
		{"text", text(), Options{}, "", "other"},
		{"text, declared", proposing(text(), "shop"), Options{Sheet: true}, "", "proposed+ other"},
		{"text, declared on its page", optional(proposing(text(), "shop")), Options{}, "", "proposed*+ other open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := New(record(tt.q), tt.o)
			play(t, d, tt.script)
			if got := choices(d.Current()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	if got := New(record(worded), Options{}).Current().Choices(); got[3].Option.Label != "Another" || got[0].Offered() == got[3].Offered() {
		t.Errorf("Other has not the asker's words: %+v", got[3])
	}
}

// TestOtherReplies are a dismissal and a discussion, which leave the answers as they are.
func TestOtherReplies(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		qs                   []question.Question
		o                    Options
		script               string
		dismissed, discussed string
	}{
		{"without a reason", ask(one()), Options{}, "", "dismissed", "discuss"},
		{"with a reason", ask(one()), Options{}, "choose 1; reason  not now ", "dismissed reason:not now", "discuss note:not now"},
		{"at the review", ask(several()), Options{}, "next", "dismissed", "discuss feat=a,c|"},
		{"with a note on one question", ask(one()), Options{}, "choose 1; note x", "dismissed", "discuss db=|(x)"},
		{"with the answers so far", ask(one(), yesNo(), text()), Options{}, "choose 1; next; choose yes; note hm; reason why", "dismissed reason:why", "discuss db=pg| ok=|(hm) note:why"},
		{"with a note on the whole", ask(one(), yesNo()), Options{}, "put 1; next; review; note all; reason why",
			"dismissed reason:why", "discuss db=pg| note:all\nwhy"},
		{"while one is asked again", ask(one(), yesNo()), Options{}, "put 1; next; back", "dismissed",
			"discuss db=pg|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := New(record(tt.qs...), tt.o)
			play(t, s, tt.script)
			if got := sent(s.Dismissal()); got != tt.dismissed {
				t.Errorf("dismissed: %q, want %q", got, tt.dismissed)
			}
			if got := sent(s.Discussion()); got != tt.discussed {
				t.Errorf("discussed: %q, want %q", got, tt.discussed)
			}
		})
	}
	s := New(record(one()), Options{})
	play(t, s, "choose 1; next; reason "+strings.Repeat("x", question.MaxText+1))
	if got := sent(s.Dismissal()); got != "refused Validation failed\n- reason: must be at most 10000 characters long, is 10001" {
		t.Errorf("a reason too long: %s", got)
	}
	if got := sent(s.Reply()); got != "db=pg|" {
		t.Errorf("answered after a dismissal that was refused: %s", got)
	}
}

// TestSheet fills in a sheet in any order: what is marked counts, and no default is marked.
func TestSheet(t *testing.T) {
	s := New(record(nested(), yesNo(), one(), optional(several())), Options{Sheet: true})
	put := func(id, words string, choices ...int) {
		t.Helper()
		fatal.If(t, s.Question(id).Put(choices, words))
	}
	put("q3", "x")
	put("q2", "", 0)
	put("q1", "", 0, 1)
	put("q0", "", 0)
	put("db", "", 3)
	s.Question("ok").WriteNote("hm")
	s.WriteNote(" soon ")
	_, err := s.Reply()
	want := question.Violations{{Path: "answers.db", Message: "write what it is, or choose something else"}, {Path: "answers.ok", Message: "an answer is required"}}
	if err == nil || err.Error() != want.Error() {
		t.Errorf("got %v, want %v", err, want)
	}
	put("ok", "", 1)
	put("db", "Duck", 3)
	if got := sent(s.Reply()); got != "q0=deep| q1=x,y| q2=true| q3=|x ok=false|(hm) db=|Duck note:soon" || s.Reviews() {
		t.Errorf("got %q", got)
	}
	put("q0", "", 1)
	if got := sent(s.Reply()); got != "q0=flat| ok=false|(hm) db=|Duck note:soon" {
		t.Errorf("without the follow-ups: %q", got)
	}
}

// TestRefuse: what could not be committed is asked again where it can be changed.
func TestRefuse(t *testing.T) {
	refused := question.Violations{{Path: "answers.ok", Message: "is gone"}, {Path: "note", Message: "too long"}, {Path: "answers.db", Message: "is gone too"}}
	d := New(record(one(), yesNo()), Options{})
	play(t, d, "choose 1; next; choose yes; next; next")
	current, rest := d.Refuse(refused)
	if len(rest) != 1 || rest[0].Path != "note" || len(current) != 1 || current[0].Path != "answers.db" {
		t.Errorf("of the current question %v, the rest %v", current, rest)
	}
	if q := d.Current(); q.ID != "db" {
		t.Errorf("%+v", q)
	}
	if play(t, d, "next"); where(d) != "review" {
		t.Errorf("then %s", where(d))
	}
	d = New(record(one()), Options{})
	if current, rest := d.Refuse(refused[1:2]); len(rest) != 1 || current != nil {
		t.Errorf("of the current question %v, the rest %v", current, rest)
	}
}

// TestClone: a copy does not change with the original.
func TestClone(t *testing.T) {
	d := New(record(several(), text()), Options{Memory: map[string]desk.Memory{"feat": {Answer: answered("feat", "", "b")}}})
	state := func(s *Set) string {
		return fmt.Sprint(where(s), said(s.Draft()), choices(s.Question("feat")), s.Question("feat").touched, s.Reason(), s.Answers())
	}
	for _, script := range []string{"choose 2", "unchoose 1", "text x; choose other", "recall", "note x", "reason x", "next", "touch", "put 1"} {
		was := d.Clone()
		before := state(d)
		if state(was) != before {
			t.Fatalf("%s: a copy is not equal: %s, %s", script, state(was), before)
		}
		play(t, d, "goto feat; "+script)
		if state(was) != before {
			t.Errorf("%s: the copy has become %s, was %s", script, state(was), before)
		}
		d = was
	}
}

// TestEmpty: a set that asks nothing has only its review.
func TestEmpty(t *testing.T) {
	known := one()
	known.Collected = &question.Answer{QuestionID: "db", Selected: []string{"pg"}}
	d := New(record(known), Options{})
	if d.Current() != nil || d.Previous() != nil || !d.Reviews() || len(d.Shown()) != 0 {
		t.Errorf("%+v", d)
	}
	if got := result(t, d, play(t, d, "back ! first; next")); got != "" {
		t.Errorf("sent %q", got)
	}
}
