package answer

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// Files are part of an answer: alone where the question takes words, else beside an option.
// They are in drafts.
func TestFiles(t *testing.T) {
	shot := question.File{Name: "a.png", Type: "image/png", Size: 3, SHA256: "3b0c1ac5ed4c9b8f0c5c8d0f7f9d1a6a3b0c1ac5ed4c9b8f0c5c8d0f7f9d1a6a"}
	rec := desk.Record{Set: question.Set{Questions: []question.Question{
		{ID: "wrong", Text: "What is wrong?", Type: question.Text, Required: true},
		{ID: "where", Text: "Where?", Type: question.SingleChoice, Required: true, AllowCustom: true, Options: []question.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}},
		{ID: "sure", Text: "Sure?", Type: question.Boolean, Options: question.YesAndNo()},
	}}}
	d := New(rec, Options{Sheet: true})
	for _, q := range d.All() {
		fatal.If(t, q.Attach(shot))
	}
	play(t, d, "goto where; choose 3") // Other, without words
	if _, err := d.Reply(); err == nil {
		t.Error("a file alone answered yes or no")
	}
	play(t, d, "goto sure; skip")
	r, err := d.Reply()
	if err != nil || len(r.Answers) != 2 || !slices.Equal(r.Answers[1].Files, []question.File{shot}) {
		t.Errorf("the reply is %+v, %v", r, err)
	}
	again := New(rec, Options{Draft: d.Draft()})
	if s := again.Question("wrong"); !again.Restored() || !slices.Equal(s.Files, []question.File{shot}) || !s.Entered {
		t.Errorf("from the draft: %+v", s)
	}
	if _, err := again.Next(); err != nil {
		t.Errorf("files alone: %v", err)
	}
}

// A file more than an answer takes is refused when it is attached.
func TestTooManyFiles(t *testing.T) {
	d := New(desk.Record{Set: question.Set{Questions: []question.Question{{ID: "wrong", Text: "What is wrong?", Type: question.Text}}}}, Options{})
	for n := range question.MaxFiles + 1 {
		err := d.Current().Attach(question.File{Name: "a.txt", Size: int64(n + 1)})
		faults, refused := errors.AsType[question.Violations](err)
		if refused != (n == question.MaxFiles) || refused && (faults[0].Path != "answers.wrong" || faults[0].Message != "takes at most 5 files, got 6") {
			t.Errorf("file %d: %v", n+1, err)
		}
	}
	if q := d.Current(); len(q.Files) != question.MaxFiles {
		t.Errorf("%d files", len(q.Files))
	}
}

// TestDraft gives what is kept after a script, and that it brings back the same.
func TestDraft(t *testing.T) {
	secret := question.Question{ID: "key", Text: "Paste your API key", Type: question.Text, Required: true}
	for _, tt := range []struct {
		name   string
		qs     []question.Question
		script string
		want   string
	}{
		{"nothing", ask(one(), several(), proposing(text(), "shop")), "touch", ""},
		{"confirmed and not", ask(one(), text()), "choose 2; next; text sho", "db=lite| name=|sho"},
		{"words that are not marked yet", ask(one()), "text Duck", "db=|Duck"},
		{"words being written beside marks, and a fault", ask(several()), "text Dark; skip ! required", "feat=a,c|Dark"},
		{"words taken off", ask(several()), "text Dark; choose other; unchoose other", ""},
		{"every mark taken off", ask(several()), "unchoose 1; unchoose 3", "feat=|"},
		{"a declared text removed", ask(proposing(text(), "shop")), "text ", "name=|"},
		{"a hidden follow-up", ask(nested()), "choose 1; next; choose 2; back; choose 2; next", "q0=flat| q1=y|"},
		{"notes", ask(one()), "note here; review; note all", "db=|(here) note:all"},
		{"left to the agent", ask(one(), text()), "delegate; next", "db=|(delegated)"},
		{"left to the agent, after words", ask(one()), "text Duck; delegate", "db=|Duck(delegated)"},
		{"a text left to the agent", ask(text()), "text shop; delegate", "name=|shop(delegated)"},
		{"a reason beside an answer", ask(one()), "choose 1; reason hm", "db=pg| reason:hm"},
		{"a secret", ask(secret, one()), "text hunter2; next; choose 1", "db=pg|"},
		{"a secret's note", ask(secret), "text hunter2; note not yet", "key=|(not yet)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := New(record(tt.qs...), Options{})
			play(t, d, tt.script)
			draft := d.Draft()
			if got := said(draft); got != tt.want {
				t.Fatalf("kept %q, want %q", got, tt.want)
			}
			again := New(record(tt.qs...), Options{Draft: draft})
			if got := again.Draft(); !reflect.DeepEqual(got, draft) {
				t.Errorf("brought back %+v, want %+v", got, draft)
			}
			if again.Restored() != (tt.want != "") || again.Reviews() != (len(again.Shown()) > 1 || draft.Note != "") {
				t.Errorf("restored %v, reviews %v", again.Restored(), again.Reviews())
			}
		})
	}
}

// TestForeignDraft: what does not fit the set is left out. A text that is too long stays: only the
// user knows what to cut.
func TestForeignDraft(t *testing.T) {
	long := strings.Repeat("x", question.MaxText+5)
	d := New(record(closed(one()), text(), several()), Options{Draft: question.Reply{Answers: []question.Answer{
		answered("db", "free text", "mysql", "none", "pg"), answered("nobody", "x"), answered("name", long), answered("feat", "own", "b", "b", "z"),
	}}})
	if got, want := said(d.Draft()), "db=none| name=|"+long+" feat=b|own"; got != want {
		t.Errorf("got %q", got)
	}
	d = New(record(one()), Options{Draft: question.Reply{Answers: []question.Answer{answered("x", "y")}}})
	if d.Restored() || d.Reviews() {
		t.Error("a draft of another set counts")
	}
}

// TestDraftIsNoAnswer: nothing of a draft is sent unless it is confirmed.
func TestDraftIsNoAnswer(t *testing.T) {
	d := New(record(one()), Options{Draft: question.Reply{Answers: []question.Answer{answered("db", "", "lite")}}})
	if r, err := d.Reply(); err == nil || len(r.Answers) > 0 {
		t.Errorf("reply %+v, %v", r, err)
	}
	if r, err := d.Discussion(); err != nil || len(r.Answers) > 0 {
		t.Errorf("discussed with %+v, %v", r, err)
	}
	if got := result(t, d, play(t, d, "next")); got != "db=lite|" || d.Restored() {
		t.Errorf("sent %s, restored %v", got, d.Restored())
	}
}
