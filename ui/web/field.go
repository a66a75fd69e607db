package web

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/question"
)

// field is one question in a form.
type field struct {
	Key         string // the id of its element
	Place       int
	Number      string // "1 of 3"; empty for the only one, and for follow-ups
	Header      string
	Text        string
	Description template.HTML
	Control     control
	Required    bool
	Native      bool // the browser may insist on an answer: it is always in sight
	Placeholder string
	Proposal    string // of a text question
	Proposed    bool   // the proposal is taken
	Options     []choice
	Value       string // the free text
	Open        bool   // left open, or not touched yet
	Fault       string
	Known       string  // the asker says that it has this answer already: it is not asked
	FollowUps   []field // of an answer that the asker has already
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
	Key         string
	Value       string
	Label       string
	Description template.HTML
	Preview     template.HTML
	Short       bool // the preview is short enough to be open from the start
	Proposed    bool
	Checked     bool
	Other       bool
	FollowUps   []field
}

// number counts the questions of a set that are asked, where there are several.
func number(fields []field) {
	asked, n := 0, 0
	for _, f := range fields {
		if f.Known == "" {
			asked++
		}
	}
	if asked < 2 {
		return
	}
	for i := range fields {
		if fields[i].Known == "" {
			n++
			fields[i].Number = fmt.Sprintf("%d of %d", n, asked)
		}
	}
}

// filler makes the fields of one card.
type filler struct {
	*painter
	id     string
	form   url.Values
	places map[string]int // of the questions among all of the set, by id
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
	place := f.places[q.ID]
	x := field{
		Key:         fmt.Sprintf("%s-%d", f.id, place),
		Place:       place,
		Header:      question.Line(q.Header),
		Text:        question.Block(q.Text),
		Description: f.prose(q.Description),
		Control:     controls[q.Type],
		Required:    q.Required,
		Native:      q.Required && top,
		Placeholder: question.Line(q.Placeholder),
		Proposal:    question.Block(q.Default),
		Proposed:    f.form.Get(named(fieldProposal, place)) == valueYes,
		Value:       f.form.Get(named(fieldText, place)),
	}
	if q.Collected != nil {
		return f.known(x, q)
	}
	chosen := f.form[named(fieldChosen, place)]
	x.Open = len(chosen) == 0 || slices.Contains(chosen, "")
	for i := range q.Options {
		x.Options = append(x.Options, f.choice(x, q, i, slices.Contains(chosen, strconv.Itoa(i))))
	}
	if q.AllowCustom {
		x.Options = append(x.Options, other(x, q, slices.Contains(chosen, valueOther)))
	}
	return x
}

func (f *filler) choice(x field, q *question.Question, i int, checked bool) choice {
	o := &q.Options[i]
	return choice{
		Key:         fmt.Sprintf("%s-%d", x.Key, i),
		Value:       strconv.Itoa(i),
		Label:       question.Line(o.Label),
		Description: f.prose(o.Description),
		Preview:     f.preview(o.Preview),
		Short:       strings.Count(o.Preview, "\n") < 12,
		Proposed:    o.Default,
		Checked:     checked,
		FollowUps:   f.fields(o.FollowUps, false),
	}
}

func other(x field, q *question.Question, checked bool) choice {
	c := choice{Key: x.Key + "-" + valueOther, Value: valueOther, Label: "Other", Checked: checked, Other: true}
	if q.Other != nil {
		c.Label = question.Line(q.Other.Label)
	}
	return c
}

// known shows an answer that the asker has already, and asks what it brings up.
func (f *filler) known(x field, q *question.Question) field {
	x.Known = question.Block(strings.Join(q.Words(q.Collected), ", "))
	if x.Known == "" {
		x.Known = "nothing"
	}
	for _, o := range q.Options {
		if slices.Contains(q.Collected.Selected, o.ID) {
			x.FollowUps = append(x.FollowUps, f.fields(o.FollowUps, false)...)
		}
	}
	return x
}

func (p *painter) prose(text string) template.HTML {
	if text == "" {
		return ""
	}
	return prose(p.md, text)
}

func (p *painter) preview(text string) template.HTML {
	if text == "" {
		return ""
	}
	return preview(p.md, text)
}
