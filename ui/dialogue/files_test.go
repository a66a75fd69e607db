package dialogue

import (
	"errors"
	"slices"
	"testing"

	"mcp-askuser/desk"
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
	d := New(rec, Options{Layout: Sheet})
	act := func(id string, a Act) {
		t.Helper()
		if _, err := d.ActOn(id, a); err != nil {
			t.Fatalf("%T: %v", a, err)
		}
	}
	for _, id := range []string{"wrong", "where", "sure"} {
		act(id, Attach{shot})
	}
	act("where", Choose{Row: 2}) // Other, without words
	if _, err := d.Reply(); err == nil {
		t.Error("a file alone answered yes or no")
	}
	act("sure", Skip{})
	r, err := d.Reply()
	if err != nil || len(r.Answers) != 2 || !slices.Equal(r.Answers[1].Files, []question.File{shot}) {
		t.Errorf("the reply is %+v, %v", r, err)
	}
	again := New(rec, Options{Layout: Pages, Draft: d.Draft()})
	if s := again.Step("wrong"); !again.Restored() || !slices.Equal(s.Files, []question.File{shot}) || !s.Entered {
		t.Errorf("from the draft: %+v", s)
	}
	if _, err := again.Act(Next{}); err != nil {
		t.Errorf("files alone: %v", err)
	}
}

// A file more than an answer takes is refused when it is attached.
func TestTooManyFiles(t *testing.T) {
	d := New(desk.Record{Set: question.Set{Questions: []question.Question{{ID: "wrong", Text: "What is wrong?", Type: question.Text}}}}, Options{})
	for n := range question.MaxFiles + 1 {
		_, err := d.Act(Attach{question.File{Name: "a.txt", Size: int64(n + 1)}})
		faults, refused := errors.AsType[question.Violations](err)
		if refused != (n == question.MaxFiles) || refused && (faults[0].Path != "answers.wrong" || faults[0].Message != "takes at most 5 files, got 6") {
			t.Errorf("file %d: %v", n+1, err)
		}
	}
	if s := d.Current(); len(s.Files) != question.MaxFiles || s.Fault == nil {
		t.Errorf("%d files, fault %v", len(s.Files), s.Fault)
	}
}
