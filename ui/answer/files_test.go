package answer

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
	for _, q := range d.All() {
		if err := q.Attach(shot); err != nil {
			t.Fatal(err)
		}
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
	again := New(rec, Options{Layout: Pages, Draft: d.Draft()})
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
