package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// A form's fields are named after the place of their question among all of the
// set, follow-ups included, and options after their place in the question: no
// word of an agent's is a name or a value.
//
//	q3  the chosen options: their places, or other
//	t3  free text
//	p3  "yes": the proposed text is taken
//	n3  the note beside the answer
//
// The note on the whole and the reason of a dismissal are called so, and shown
// is since when the human has the form, in ms of Unix time.
const (
	fieldChosen   = "q"
	fieldText     = "t"
	fieldProposal = "p"
	fieldNote     = "n"

	valueOther = "other"
	valueYes   = "yes"
)

func named(field string, place int) string { return field + strconv.Itoa(place) }

// field is one question in a form, with what the reply says to it.
type field struct {
	question.Response
	control
	Key       string // the id of its element
	At        int    // among all questions of the set
	Number    string // "1 of 3"; empty for the only one, and for follow-ups
	Native    bool   // the browser may insist on an answer: it is always in sight
	Choices   []choice
	Previews  bool
	Custom    string  // the free text, unless it is the proposed one
	Fault     string  // why the answer was refused
	Before    *before // how it was answered the last time
	FollowUps []field // of an answer that the asker has already
}

// control is how a type of question is answered in a form.
type control struct {
	Input string // the type of the input of each option; empty: words in a text area
	Class string // of the field
	caps  string // the keys of its options
}

// before is an earlier answer to the same question, as the form would have it.
type before struct {
	Words  string // "3 Nov: PostgreSQL, claude-code"
	Values string // of the options, with blanks between them
	Text   string
}

const digits = "123456789"

// controls is the one place in which the form looks at a question's type.
var controls = map[question.Type]control{ //nolint:gochecknoglobals // a table, never written to
	question.SingleChoice: {Input: "radio", caps: digits},
	question.MultiChoice:  {Input: "checkbox", caps: digits},
	question.Boolean:      {Input: "radio", Class: " boolean", caps: "YN"},
	question.Text:         {},
}

// choice is one option of a field.
type choice struct {
	question.Option
	Key     string
	Cap     string // the key that chooses it
	Value   string
	Checked bool
	Other   bool
	Fields  []field // its follow-ups
}

// fields returns the form of a set with a reply filled in, which need not be
// whole; faults are by place.
func (c *card) fields(r *question.Reply, faults map[int]string) []field {
	all, at := c.Set.Responses(r), -1
	var walk func(qs []question.Question, top bool) []field
	walk = func(qs []question.Question, top bool) (out []field) {
		for range qs {
			at++
			f := c.field(all[at], at, faults[at])
			if m, ok := c.Memory[f.ID]; ok && f.Answer == nil {
				then := c.field(question.Response{Question: f.Question, Answer: &m.Answer}, at, "")
				f.Before = &before{Words: c.lang.Remembered(m, c.Now), Values: then.values(), Text: m.Answer.Custom}
			}
			f.Native = f.Required && top
			for i := range f.Options {
				under := walk(f.Options[i].FollowUps, false)
				switch {
				case f.Collected == nil:
					f.Choices[i].Fields = under
				case f.Choices[i].Checked:
					f.FollowUps = append(f.FollowUps, under...)
				}
			}
			out = append(out, f)
		}
		return out
	}
	out := walk(c.Questions, true)
	number(out, c.lang)
	return out
}

func (c *card) field(x question.Response, at int, fault string) field {
	f := field{Response: x, control: controls[x.Type], Key: fmt.Sprintf("%s-%d", c.ID, at), At: at, Fault: fault}
	var a question.Answer
	if x.Answer != nil {
		a = *x.Answer
	}
	if a.Custom != x.Default || x.Default == "" {
		f.Custom = a.Custom
	}
	add := func(o question.Option, value string, checked, other bool) {
		key := ""
		if n := len(f.Choices); n < len(f.caps) {
			key = f.caps[n : n+1]
		}
		f.Choices = append(f.Choices, choice{Option: o, Key: f.Key + "-" + value, Cap: key, Value: value, Checked: checked, Other: other})
		f.Previews = f.Previews || o.Preview != ""
	}
	for i, o := range x.Options {
		add(o, strconv.Itoa(i), slices.Contains(a.Selected, o.ID), false)
	}
	if x.AllowCustom {
		o := c.lang.Other(x.Question)
		if x.Other == nil {
			o.Description = ""
		}
		add(o, valueOther, a.Custom != "" || fault == c.lang.T(sentence(noWords)), true)
	}
	return f
}

// values are those of the chosen options, with blanks between them.
func (f *field) values() string {
	var out []string
	for _, c := range f.Choices {
		if c.Checked {
			out = append(out, c.Value)
		}
	}
	return strings.Join(out, " ")
}

// Open reports whether a question is left open, or not touched yet.
func (f *field) Open() bool {
	return f.values() == ""
}

// Proposed reports whether the proposal of a text question is taken.
func (f *field) Proposed() bool {
	return f.Default != "" && f.Answer != nil && f.Answer.Custom == f.Default
}

// number counts the questions of a set that are asked, where there are several.
func number(fields []field, l words.Language) {
	var asked []*field
	for i := range fields {
		if fields[i].Collected == nil {
			asked = append(asked, &fields[i])
		}
	}
	for i, f := range asked {
		if len(asked) > 1 {
			f.Number = l.T("%[1]d of %[2]d", i+1, len(asked))
		}
	}
}

// noWords is what is wrong with an Other without words.
const noWords = "write what it is, or choose something else"

// filledIn reads what a human filled into the form of a set. Answers to
// questions that the other answers do not bring up are left out: without a
// script the form sends them too. What to discuss, or why to dismiss, is the reason
// of a draft: it goes with no answer. The violations are what only a form can get
// wrong; the rest is left for question.Set.Check.
func filledIn(set *question.Set, form url.Values) (question.Reply, question.Violations) {
	r := question.Reply{Note: plainBreaks(form.Get("note")), Reason: plainBreaks(cmp.Or(form.Get("topic"), form.Get("reason")))}
	var found question.Violations
	for i, q := range set.All() {
		a := answerOf(q, i, form, &found)
		if !a.Empty() || a.Note != "" {
			r.Answers = append(r.Answers, a)
		}
	}
	shown := map[string]bool{}
	for _, x := range set.Asked(&r) {
		shown[x.ID] = true
	}
	r.Answers = slices.DeleteFunc(r.Answers, func(a question.Answer) bool { return !shown[a.QuestionID] })
	return r, slices.DeleteFunc(found, func(v question.Violation) bool { return !shown[strings.TrimPrefix(v.Path, "answers.")] })
}

// answerOf reads the answer to the question at a place, and adds why it is none.
func answerOf(q *question.Question, place int, form url.Values, found *question.Violations) (a question.Answer) {
	a.QuestionID, a.Note = q.ID, strings.TrimSpace(plainBreaks(form.Get(named(fieldNote, place))))
	text := strings.TrimSpace(plainBreaks(form.Get(named(fieldText, place))))
	if !q.Chooses() {
		a.Custom = text
		if form.Get(named(fieldProposal, place)) == valueYes {
			a.Custom = q.Default
		}
		return a
	}
	for _, v := range form[named(fieldChosen, place)] {
		switch n, err := strconv.Atoi(v); {
		case v == "": // left open
		case v == valueOther && text == "":
			found.Add("answers."+q.ID, noWords)
		case v == valueOther:
			a.Custom = text
		case err != nil || n < 0 || n >= len(q.Options):
			found.Add("answers."+q.ID, "%q is none of the options", v)
		case !slices.Contains(a.Selected, q.Options[n].ID):
			a.Selected = append(a.Selected, q.Options[n].ID)
		}
	}
	return a
}

// plainBreaks undoes what browsers do to the line breaks of a form.
func plainBreaks(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// took is how long the human has had a form in front of them, 0 if it does not
// say since when.
func took(form url.Values, now time.Time) time.Duration {
	ms, err := strconv.ParseInt(form.Get("shown"), 10, 64)
	if err != nil {
		return 0
	}
	return max(now.Sub(time.UnixMilli(ms)), 0)
}

// fault is what must change before a form can be sent.
type fault struct {
	Field string // the id of the element it is about
	Words string
}

// showFaults puts violations beside the fields they are about.
func (c *card) showFaults(r *question.Reply, found question.Violations) {
	faults := map[int]string{} // by place
	all := c.All()
	for _, v := range found {
		place := slices.IndexFunc(all, func(q *question.Question) bool { return v.Path == "answers."+q.ID })
		switch {
		case place >= 0:
			faults[place] = said(c.lang, "", v)
			c.Faults = append(c.Faults, fault{fmt.Sprintf("%s-%d", c.ID, place), question.Line(all[place].Text) + " " + faults[place]})
		case v.Path == "reason" || v.Path == "note":
			c.Faults = append(c.Faults, fault{c.ID + "-" + v.Path, said(c.lang, "the "+v.Path+" ", v)})
		default:
			c.Faults = append(c.Faults, fault{c.ID + "-form", question.Line(v.String())})
		}
	}
	c.Fields = c.fields(r, faults)
}

// What is wrong with a form, as the sentences that said makes of it.
var _ = [...]string{
	words.Mark("An answer is required."),
	words.Mark("Must be at most %d characters long, is %d."),
	words.Mark("Its note must be at most %d characters long, is %d."),
	words.Mark("The note must be at most %d characters long, is %d."),
	words.Mark("The reason must be at most %d characters long, is %d."),
	words.Mark("Write what it is, or choose something else."),
}

// said makes a sentence of a violation's message, about something that has a name.
func said(l words.Language, name string, v question.Violation) string {
	return question.Line(v.In(func(text string, args ...any) string { return l.T(sentence(name+text), args...) }))
}

// sentence makes a sentence of words in English.
func sentence(s string) string { return words.English.Sentence(strings.ToUpper(s[:1]) + s[1:]) }
