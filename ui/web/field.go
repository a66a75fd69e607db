package web

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// field is a question as the form shows it.
type field struct {
	*answer.Question
	card  *card
	At    int    // among all questions of the set
	Key   string // the id of its element
	Fault string // why the answer was refused
}

func (c *card) field(q *answer.Question) *field {
	at := slices.IndexFunc(c.All(), func(x *question.Question) bool { return x.ID == q.ID })
	f := &field{Question: q, card: c, At: at, Key: fmt.Sprintf("%s-%d", c.ID, at)}
	for _, x := range c.Faults {
		if x.Field == f.Key {
			f.Fault = x.about
		}
	}
	return f
}

// input is the type of the input of each choice; empty for a text area.
func (f *field) input() string {
	switch {
	case !f.Chooses():
		return ""
	case f.Several():
		return "checkbox"
	}
	return "radio"
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
