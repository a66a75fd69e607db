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
	"mcp-askuser/ui/dialogue"
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

// valueOf is the value that a form has for a row.
func valueOf(r dialogue.Row) string {
	switch r.Kind {
	case dialogue.Other:
		return "other"
	case dialogue.Proposed:
		return "yes"
	case dialogue.LeaveOpen:
		return ""
	case dialogue.Option, dialogue.Yes, dialogue.No:
	}
	return strconv.Itoa(r.Number - 1)
}

// optionsOf returns the options of a dialogue in which a form is filled in. The topic of a
// discussion and the reason of a dismissal are its reason: no answer includes it.
func (s *Server) optionsOf(form url.Values) dialogue.Options {
	reason := cmp.Or(form.Get("topic"), form.Get("reason")) // of a draft
	switch form.Get("action") {
	case "discuss":
		reason = form.Get("topic")
	case "dismiss":
		reason = form.Get("reason")
	}
	o := dialogue.Options{Layout: dialogue.Sheet, Now: s.Now, Draft: question.Reply{
		Note: lineBreaks(form.Get("note")), Reason: lineBreaks(reason),
	}}
	ms, err := strconv.ParseInt(form.Get("shown"), 10, 64)
	if began := time.UnixMilli(ms); err == nil && !began.After(s.Now()) {
		o.Began = began
	}
	return o
}

// fill enters a form into a dialogue, and returns the values that the page never sends.
// Dialogue.Reply finds all other faults.
func fill(d *dialogue.Dialogue, form url.Values) (found question.Violations) {
	rec := d.Record()
	for at, q := range rec.All() {
		step := d.Step(q.ID)
		if step == nil { // the asker has its answer
			continue
		}
		text := lineBreaks(form.Get(named(fieldText, at)))
		acts := []dialogue.Act{dialogue.Note{Text: lineBreaks(form.Get(named(fieldNote, at)))}}
		var answer dialogue.Fill
		if !q.Chooses() {
			answer.Text = text
		} else if q.TakesText() {
			acts = append(acts, dialogue.Text{Text: text})
		}
		for _, v := range slices.Concat(form[named(fieldChosen, at)], form[named(fieldProposal, at)]) {
			row := slices.IndexFunc(step.Rows, func(r dialogue.Row) bool { return valueOf(r) == v })
			if row >= 0 {
				answer.Rows = append(answer.Rows, row)
			} else if v != "" && step.Place > 0 {
				found.Add("answers."+q.ID, "%q is none of the options", v)
			}
		}
		acts = append(acts, answer)
		for _, v := range form[named(fieldFile, at)] {
			var f question.File
			if err := json.Unmarshal([]byte(v), &f); err != nil {
				found.Add("answers."+q.ID, "the file is not as the page has it: %v", err)
				continue
			}
			acts = append(acts, dialogue.Attach{File: f})
		}
		if form.Get("recall") == strconv.Itoa(at) {
			acts = append(acts, dialogue.Recall{})
		}
		for _, a := range acts {
			_, err := d.ActOn(q.ID, a)
			if faults, refused := errors.AsType[question.Violations](err); refused {
				found = append(found, faults...)
			} else if err != nil {
				found.Add("answers."+q.ID, "%v", err)
			}
		}
	}
	return found
}

// lineBreaks replaces the line breaks that browsers send.
func lineBreaks(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// field is a question as the form shows it: a step, or a question that the asker has the
// answer to, which has no rows.
type field struct {
	dialogue.Step
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

// choice is a row of a field with an input of its own.
type choice struct {
	dialogue.Row
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
	f := field{Step: dialogue.Step{Question: q}, Key: fmt.Sprintf("%s-%d", c.ID, at), Record: c.ID, Attach: c.Attach, Signed: c.Signed, At: at}
	step := c.dialogue.Step(q.ID)
	if step == nil {
		return f
	}
	f.Step = *step
	if faults, refused := errors.AsType[question.Violations](step.Fault); refused { // of an act
		f.Fault = sentence(c.lang, question.Line(faults[0].In(c.lang.T)))
	}
	for _, x := range c.Faults {
		if x.Field == f.Key {
			f.Fault = x.about
		}
	}
	for _, r := range f.Rows {
		x := choice{Row: r, Value: valueOf(r), Key: f.Key + "-" + valueOf(r)}
		if key := r.Key(); len(key) == 1 {
			x.Cap = strings.ToUpper(key)
		}
		switch {
		case r.Offered():
			x.Says = *r.Option
		case r.Kind == dialogue.Other && q.Chooses():
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
	row := f.Row(dialogue.Proposed)
	return row >= 0 && f.Rows[row].Marked
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
