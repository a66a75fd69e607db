package web

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// field is a question as the form shows it.
type field struct {
	*answer.Question
	Key     string // the id of its element
	Record  string // the id of its record
	Attach  bool   // it takes files
	Signed  bool   // its description is shown word for word: Markdown can hide a line
	At      int    // among all questions of the set
	Number  string // "1 of 3"; empty for the only one, and for follow-ups
	Choices []choice
	Fault   string // why the answer was refused
	Before  string // how it was answered the last time: "3 Nov: PostgreSQL, claude-code"
}

// choice is a choice of a field with an input of its own.
type choice struct {
	answer.Choice
	Says   question.Option // what the user reads
	Key    string          // the id of its element
	Cap    string          // the key that chooses it; empty for a number of two digits
	Value  string
	Fields []field // its follow-ups
}

// Fields is the form of a record that is open.
func (c *card) Fields() []field {
	fields := c.fields(c.Questions)
	for i := range fields {
		if len(fields) > 1 {
			fields[i].Number = c.lang.T("%[1]d of %[2]d", i+1, len(fields))
		}
	}
	return fields
}

// fields are questions, but for those that the asker has the answer to. Of these the follow-ups are
// asked that the answer calls for.
func (c *card) fields(qs []question.Question) (out []field) {
	for _, q := range qs {
		asked := c.set.Question(q.ID)
		if asked != nil {
			out = append(out, c.field(asked))
			continue
		}
		for _, o := range q.Options {
			if slices.Contains(q.Collected.Selected, o.ID) {
				out = append(out, c.fields(o.FollowUps)...)
			}
		}
	}
	return out
}

// field returns the field of a question, with its follow-ups.
func (c *card) field(q *answer.Question) field {
	at := slices.IndexFunc(c.All(), func(x *question.Question) bool { return x.ID == q.ID })
	f := field{
		Question: q, Key: fmt.Sprintf("%s-%d", c.ID, at), Record: c.ID, Attach: c.Attach, Signed: c.Signed, At: at,
	}
	for _, x := range c.Faults {
		if x.Field == f.Key {
			f.Fault = x.about
		}
	}
	if q.Memory != nil {
		f.Before = c.lang.Remembered(*q.Memory, c.now)
	}
	for _, r := range q.Choices() {
		x := choice{Choice: r, Value: valueOf(r), Key: f.Key + "-" + valueOf(r)}
		switch {
		case r.Offered():
			x.Says, x.Fields = *r.Option, c.fields(r.Option.FollowUps)
		case r.Kind == answer.Other && q.Chooses():
			x.Says = c.lang.Other(q.Question)
			if r.Option == nil {
				x.Says.Description = ""
			}
		default: // it has no input of its own
			continue
		}
		if len(r.Key()) == 1 {
			x.Cap = strings.ToUpper(r.Key())
		}
		f.Choices = append(f.Choices, x)
	}
	return f
}

// Input is the type of the input of each choice; empty for a text area.
func (f *field) Input() string {
	switch {
	case !f.Chooses():
		return ""
	case f.Several():
		return "checkbox"
	}
	return "radio"
}

// Previews reports whether a choice has a preview.
func (f *field) Previews() bool {
	return slices.ContainsFunc(f.Choices, func(x choice) bool { return x.Says.Preview != "" })
}

// Open reports whether a question is left open, or not touched yet.
func (f *field) Open() bool {
	return !f.Delegated && !slices.ContainsFunc(f.Choices, func(x choice) bool { return x.Marked })
}

// Proposed reports whether the proposal of a text question is taken.
func (f *field) Proposed() bool {
	at := f.Choice(answer.Proposed)
	return at >= 0 && f.Question.Choices()[at].Marked
}

// fault is a reason why a form cannot be sent.
type fault struct {
	Field string // the id of the element it is about
	Words string
	about string // Words without the question
}

// faults puts into words why a reply in a form is refused.
func (f *form) faults(l words.Language, found question.Violations) (out []fault) {
	all := f.rec.All()
	for _, v := range found {
		at := slices.IndexFunc(all, func(q *question.Question) bool { return v.Path == "answers."+q.ID })
		x := fault{Field: f.rec.ID + "-form", Words: question.Line(v.String())}
		switch {
		case at >= 0:
			about := sentence(l, question.Line(v.In(l.T)))
			x = fault{fmt.Sprintf("%s-%d", f.rec.ID, at), question.Line(all[at].Text) + " " + about, about}
		case v.Path == "reason" || v.Path == "note":
			x.Words = sentence(l, l.Refused(v))
		}
		out = append(out, x)
	}
	return out
}

// sentence makes a sentence of words that begin with a small letter.
func sentence(l words.Language, s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return l.Sentence(string(unicode.ToUpper(first)) + s[size:])
}
