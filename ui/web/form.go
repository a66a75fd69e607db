package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/words"
)

// A form's fields are named after the place of their question among all of the
// set, follow-ups included, and their values after the rows of the step: no word of an
// agent's is a name or a value.
//
//	q3  the marked rows of a choice, see valueOf
//	t3  free text
//	p3  "yes": the proposed text is taken
//	n3  the note beside the answer
//	f3  the files of the answer that were attached before, as JSON
//	u3  files that the form brings
//
// The field recall has the place of the question whose earlier answer is to be filled in.
// The note on the whole, the topic of a discussion and the reason of a dismissal are
// called so, and shown is since when the user has the form, in ms of Unix time.
const (
	fieldChosen   = "q"
	fieldText     = "t"
	fieldProposal = "p"
	fieldNote     = "n"
	fieldFile     = "f"
	fieldUpload   = "u"
)

func named(field string, place int) string { return field + strconv.Itoa(place) }

// valueOf is the value that a form has for a choice.
func valueOf(c answer.Choice) string {
	switch c.Kind {
	case answer.Other:
		return "other"
	case answer.Proposed:
		return "yes"
	case answer.LeaveOpen:
		return ""
	case answer.Option, answer.Yes, answer.No:
	}
	return strconv.Itoa(c.Number - 1)
}

// optionsOf returns the options of a set in which a form is filled in. The topic of a
// discussion and the reason of a dismissal are its reason: no answer includes it.
func (s *Server) optionsOf(form url.Values) answer.Options {
	reason := cmp.Or(form.Get("topic"), form.Get("reason")) // of a draft
	switch form.Get("action") {
	case "discuss":
		reason = form.Get("topic")
	case "dismiss":
		reason = form.Get("reason")
	}
	o := answer.Options{Layout: answer.Sheet, Now: s.Now, Draft: question.Reply{
		Note: lineBreaks(form.Get("note")), Reason: lineBreaks(reason),
	}}
	ms, err := strconv.ParseInt(form.Get("shown"), 10, 64)
	if began := time.UnixMilli(ms); err == nil && !began.After(s.Now()) {
		o.Began = began
	}
	return o
}

// fill enters a form into a set, and returns the values that the page never sends.
// Set.Reply finds all other faults.
func fill(set *answer.Set, form url.Values) (found question.Violations) {
	rec := set.Record()
	for at, asked := range rec.All() {
		q := set.Question(asked.ID)
		if q == nil { // the asker has its answer
			continue
		}
		add := func(err error) {
			faults, refused := errors.AsType[question.Violations](err)
			switch {
			case refused:
				found = append(found, faults...)
			case err != nil:
				found.Add("answers."+q.ID, "%v", err)
			}
		}
		q.WriteNote(lineBreaks(form.Get(named(fieldNote, at))))
		text := lineBreaks(form.Get(named(fieldText, at)))
		if q.Chooses() && q.TakesText() {
			add(q.Type(text))
		}
		chosen := slices.Concat(form[named(fieldChosen, at)], form[named(fieldProposal, at)])
		choices, unknown := choicesOf(q, chosen)
		place, _ := set.Place(q)
		for _, v := range unknown {
			if place > 0 {
				found.Add("answers."+q.ID, "%q is none of the options", v)
			}
		}
		if q.Chooses() {
			text = ""
		}
		add(q.Put(choices, text))
		for _, v := range form[named(fieldFile, at)] {
			var f question.File
			err := json.Unmarshal([]byte(v), &f)
			if err != nil {
				found.Add("answers."+q.ID, "the file is not as the page has it: %v", err)
				continue
			}
			add(q.Attach(f))
		}
		if form.Get("recall") == strconv.Itoa(at) {
			add(q.Recall())
		}
	}
	return found
}

// choicesOf returns the choices that a form's values name, and the values that name none.
func choicesOf(q *answer.Question, values []string) (choices []int, unknown []string) {
	for _, v := range values {
		at := slices.IndexFunc(q.Choices(), func(c answer.Choice) bool { return valueOf(c) == v })
		switch {
		case at >= 0:
			choices = append(choices, at)
		case v != "":
			unknown = append(unknown, v)
		}
	}
	return choices, unknown
}

// lineBreaks replaces the line breaks that browsers send.
func lineBreaks(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// field is a question as the form shows it. One that the asker has the answer to has no
// choices.
type field struct {
	*answer.Question
	Key       string // the id of its element
	Record    string // the id of its record
	Attach    bool   // it takes files
	Signed    bool   // its description is shown word for word: Markdown can hide a line
	At        int    // among all questions of the set
	Number    string // "1 of 3"; empty for the only one, and for follow-ups
	Native    bool   // the browser may insist on an answer: it is always in sight
	Choices   []choice
	Fault     string  // why the answer was refused
	Before    string  // how it was answered the last time: "3 Nov: PostgreSQL, claude-code"
	FollowUps []field // of an answer that the asker has already
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
	at := -1
	var walk func(qs []question.Question, top bool) []field
	walk = func(qs []question.Question, top bool) (out []field) {
		for i := range qs {
			at++
			f := c.field(&qs[i], at)
			f.Native = f.Required && top
			for j, o := range f.Options {
				under := walk(o.FollowUps, false)
				switch {
				case f.Collected == nil:
					f.Choices[j].Fields = under
				case slices.Contains(f.Collected.Selected, o.ID):
					f.FollowUps = append(f.FollowUps, under...)
				}
			}
			out = append(out, f)
		}
		return out
	}
	out := walk(c.Questions, true)
	var asked []*field
	for i := range out {
		if out[i].Collected == nil {
			asked = append(asked, &out[i])
		}
	}
	for i, f := range asked {
		if len(asked) > 1 {
			f.Number = c.lang.T("%[1]d of %[2]d", i+1, len(asked))
		}
	}
	return out
}

func (c *card) field(q *question.Question, at int) field {
	f := field{Question: &answer.Question{Question: q}, Key: fmt.Sprintf("%s-%d", c.ID, at), Record: c.ID, Attach: c.Attach, Signed: c.Signed, At: at}
	asked := c.set.Question(q.ID)
	if asked == nil {
		return f
	}
	f.Question = asked
	for _, v := range c.found {
		if v.Path == "answers."+q.ID {
			f.Fault = sentence(c.lang, question.Line(v.In(c.lang.T)))
		}
	}
	for _, x := range c.Faults {
		if x.Field == f.Key {
			f.Fault = x.about
		}
	}
	for _, r := range f.Question.Choices() {
		x := choice{Choice: r, Value: valueOf(r), Key: f.Key + "-" + valueOf(r)}
		if key := r.Key(); len(key) == 1 {
			x.Cap = strings.ToUpper(key)
		}
		switch {
		case r.Offered():
			x.Says = *r.Option
		case r.Kind == answer.Other && q.Chooses():
			x.Says = c.lang.Other(q)
			if q.Other == nil {
				x.Says.Description = ""
			}
		default: // it has no input of its own
			continue
		}
		f.Choices = append(f.Choices, x)
	}
	if f.Memory != nil {
		f.Before = c.lang.Remembered(*f.Memory, c.Now)
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
	return !slices.ContainsFunc(f.Choices, func(x choice) bool { return x.Marked })
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

// refuse shows why a form cannot be sent.
func (c *card) refuse(found question.Violations) {
	all := c.All()
	for _, v := range found {
		place := slices.IndexFunc(all, func(q *question.Question) bool { return v.Path == "answers."+q.ID })
		switch {
		case place >= 0:
			about := sentence(c.lang, question.Line(v.In(c.lang.T)))
			c.Faults = append(c.Faults, fault{fmt.Sprintf("%s-%d", c.ID, place), question.Line(all[place].Text) + " " + about, about})
		case v.Path == "reason" || v.Path == "note":
			c.Faults = append(c.Faults, fault{Field: c.ID + "-" + v.Path, Words: sentence(c.lang, c.lang.Refused(v))})
		default:
			c.Faults = append(c.Faults, fault{Field: c.ID + "-form", Words: question.Line(v.String())})
		}
	}
}

// sentence makes a sentence of words that begin with a small letter.
func sentence(l words.Language, s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return l.Sentence(string(unicode.ToUpper(first)) + s[size:])
}
