package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"mcp-askuser/question"
)

// field is one question in a form.
type field struct {
	*question.Question
	control
	Key       string // the id of its element
	Place     int    // among all questions of the set
	Number    string // "1 of 3"; empty for the only one, and for follow-ups
	Native    bool   // the browser may insist on an answer: it is always in sight
	Proposed  bool   // the proposal of a text question is taken
	Choices   []choice
	Value     string // the free text
	Open      bool   // left open, or not touched yet
	Fault     string
	FollowUps []field // of an answer that the asker has already
}

// control is how a type of question is answered in a form.
type control struct {
	Input string // the type of the input of each option; empty: words in a text area
	Class string // of the field
}

// controls is the one place in which the form looks at a question's type.
var controls = map[question.Type]control{ //nolint:gochecknoglobals // a table, never written to
	question.SingleChoice: {Input: "radio"},
	question.MultiChoice:  {Input: "checkbox"},
	question.Boolean:      {Input: "radio", Class: "boolean"},
	question.Text:         {},
}

// choice is one option of a field.
type choice struct {
	question.Option
	Key     string
	Value   string
	Checked bool
	Other   bool
	Fields  []field // its follow-ups
}

// number counts the questions of a set that are asked, where there are several.
func number(fields []field) {
	var asked []*field
	for i := range fields {
		if fields[i].Collected == nil {
			asked = append(asked, &fields[i])
		}
	}
	for i, f := range asked {
		if len(asked) > 1 {
			f.Number = fmt.Sprintf("%d of %d", i+1, len(asked))
		}
	}
}

// filler makes the fields of one card.
type filler struct {
	id   string // of the record
	form url.Values
	all  []*question.Question // of the set
}

// fields returns the fields of questions. Those of the set itself are top.
func (f *filler) fields(qs []question.Question, top bool) []field {
	var out []field
	for i := range qs {
		out = append(out, f.field(&qs[i], top))
	}
	return out
}

func (f *filler) field(q *question.Question, top bool) field {
	place := slices.Index(f.all, q)
	x := field{
		Question: q,
		control:  controls[q.Type],
		Key:      fmt.Sprintf("%s-%d", f.id, place),
		Place:    place,
		Native:   q.Required && top,
		Proposed: f.form.Get(named(fieldProposal, place)) == valueYes,
		Value:    f.form.Get(named(fieldText, place)),
	}
	if q.Collected != nil { // not asked; what its answer brings up is
		for _, o := range q.Options {
			if slices.Contains(q.Collected.Selected, o.ID) {
				x.FollowUps = append(x.FollowUps, f.fields(o.FollowUps, false)...)
			}
		}
		return x
	}
	chosen := f.form[named(fieldChosen, place)]
	x.Open = len(chosen) == 0 || slices.Contains(chosen, "")
	add := func(o question.Option, value string) *choice {
		x.Choices = append(x.Choices, choice{
			Option: o, Key: x.Key + "-" + value, Value: value, Checked: slices.Contains(chosen, value),
			Fields: f.fields(o.FollowUps, false),
		})
		return &x.Choices[len(x.Choices)-1]
	}
	for i, o := range q.Options {
		add(o, strconv.Itoa(i))
	}
	if q.AllowCustom {
		other := question.Option{Label: "Other"}
		if q.Other != nil {
			other.Label = q.Other.Label
		}
		add(other, valueOther).Other = true
	}
	return x
}
