package dialogue

import (
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Kind says what a row is.
type Kind int

// The kinds of rows.
const (
	Option    Kind = iota // an option of the asker's
	Yes                   // the yes of a yes-or-no question
	No                    // its no
	Proposed              // the declared text of a text question
	Other                 // the user's own words
	LeaveOpen             // no answer, where the question is optional
)

// Row is one thing that a question can be answered with.
type Row struct {
	Kind Kind
	// Option is the asker's option, with Option, Yes and No. With Other it is the asker's wording
	// for it, nil where the asker gave none; otherwise nil.
	Option *question.Option
	// Number is the option's place from 1; 0 for rows that are no option.
	Number int
	Marked bool // it is part of the answer that the step holds
	// Default says that the asker declared it as default.
	Default bool
}

// Offered reports whether the row is an option of the asker's, yes and no included.
func (r Row) Offered() bool { return r.Kind <= No }

// Key is the key that chooses the row, on every face with keys; empty for none.
func (r Row) Key() string {
	switch {
	case r.Kind == Yes:
		return "y"
	case r.Kind == No:
		return "n"
	case r.Kind == Other:
		return "0"
	case r.Offered():
		return strconv.Itoa(r.Number)
	}
	return ""
}

// Step is a question that is being answered, at one moment. It is a copy: acts do not
// change it.
type Step struct {
	*question.Question
	Place, Of int // "2 of 4", among the steps that are shown; 0 where this one is not
	Depth     int // 0 for a question of the set, 1 for its follow-ups, and so on
	// Rows are the options in order, then Proposed, Other and LeaveOpen where the
	// question takes them. Acts name a row by its index here.
	Rows []Row
	// Answer is the answer that the step holds, confirmed or not, note included.
	Answer question.Answer
	// Typed is what was typed in Other or as the answer, as it was typed, also while it is
	// not marked. On pages it begins as the declared text. (Text is the question's.)
	Typed string
	Note  string
	Files []question.File

	// Declared is the answer that the asker declared as default; empty for none.
	Declared question.Answer
	// Memory is how the user answered the question before; nil where that is not known.
	Memory *desk.Memory
	// Entered says that the answer comes from the user: an act, or a draft. Otherwise it is
	// empty or declared.
	Entered bool
	// Untouched says that Next would refuse the step with ErrUntouched.
	Untouched bool
	// Skipped says that the user wants to leave the question open.
	Skipped bool
	// Confirmed is what Next took last, nil before.
	Confirmed *question.Answer
	// Fault is why the last act on the step was refused.
	Fault error
}

// Row returns the index of the first row of a kind, -1 where there is none.
func (s *Step) Row(k Kind) int {
	return slices.IndexFunc(s.Rows, func(r Row) bool { return r.Kind == k })
}

// OptionRow returns the index of the row of the option with this id, -1 where there is
// none.
func (s *Step) OptionRow(id string) int {
	return slices.IndexFunc(s.Rows, func(r Row) bool { return r.Offered() && r.Option.ID == id })
}

// Marked returns the indexes of the rows that are marked.
func (s *Step) Marked() []int {
	var out []int
	for i, r := range s.Rows {
		if r.Marked {
			out = append(out, i)
		}
	}
	return out
}

// NeedsWords reports whether Other is marked and nothing is typed in it yet.
func (s *Step) NeedsWords() bool {
	i := s.Row(Other)
	return i >= 0 && s.Rows[i].Marked && strings.TrimSpace(s.Typed) == "" && len(s.Files) == 0
}

// LeadsOn reports whether the option of a row brings up follow-up questions.
func (s *Step) LeadsOn(row int) bool {
	return row >= 0 && row < len(s.Rows) && s.Rows[row].Offered() && len(s.Rows[row].Option.FollowUps) > 0
}

// step is the state of one question.
type step struct {
	Step // without what view derives
	content
	initial  question.Answer // its draft at first
	secret   func() bool     // its text is in no draft
	touched  bool            // by an act in this dialogue
	typing   bool            // the last act typed text
	reopened bool
}

// content is what a step holds.
type content struct {
	marked  []bool // by option
	other   bool   // the user's own words count
	text    string // those words, or the answer to a text question
	skipped bool   // the user wants to leave it open
	entered bool   // all this is the user's
}

// newContent returns what a step holds at first: the declared default of its question
// where that is on its page, and else nothing.
func newContent(q *question.Question, declared bool) content {
	c := content{marked: make([]bool, len(q.Options))}
	if !declared {
		return c
	}
	for i, o := range q.Options {
		c.marked[i] = q.Several() && o.Default
	}
	if !q.Chooses() {
		c.text = q.Default
	}
	return c
}

func (c content) clone() content {
	c.marked = slices.Clone(c.marked)
	return c
}

// clear takes away all marks. A text that was typed stays.
func (c *content) clear() {
	clear(c.marked)
	c.other, c.skipped = false, false
}

// mark puts a row into the answer to q, or takes it out.
func (c *content) mark(q *question.Question, row int, kind Kind, on bool) {
	switch kind {
	case Option, Yes, No:
		c.marked[row] = on
	case Other:
		c.other = on
	case LeaveOpen:
		c.skipped = on
	case Proposed:
		if c.text = ""; on {
			c.text = q.Default
		}
	}
}

// answer is the answer that the step holds, in normal form.
func (s *step) answer() question.Answer {
	a := question.Answer{QuestionID: s.ID, Note: s.Note, Files: s.Files}
	for i, marked := range s.marked {
		if marked {
			a.Selected = append(a.Selected, s.Options[i].ID)
		}
	}
	if s.other || !s.Chooses() {
		a.Custom = s.text
	}
	return s.Normal(a)
}

// draft is what of the step is worth keeping: beside the answer the words of Other
// while another option is marked, and of several while they are being typed. A secret
// is not kept.
func (s *step) draft() question.Answer {
	a := s.answer()
	if s.AllowCustom && (!s.Several() || s.typing) {
		a.Custom = strings.TrimSpace(s.text)
	}
	if a.Custom != "" && s.secret() {
		a.Custom = ""
	}
	return a
}

// restore puts an answer from elsewhere into the step, as far as it fits.
func (s *step) restore(a question.Answer) {
	s.clear()
	for _, id := range a.Selected {
		i := slices.IndexFunc(s.Options, func(o question.Option) bool { return o.ID == id })
		if i >= 0 && (s.Several() || !slices.Contains(s.marked, true)) {
			s.marked[i] = true
		}
	}
	if s.text = ""; s.TakesText() {
		s.text = question.Cut(a.Custom, question.MaxText)
	}
	s.other = s.AllowCustom && strings.TrimSpace(s.text) != "" && (s.Several() || !slices.Contains(s.marked, true))
	x := s.answer()
	s.entered = !x.Empty()
}

// settled reports whether the step holds what was confirmed.
func (s *step) settled() bool { return s.Confirmed != nil && same(*s.Confirmed, s.answer()) }

// due reports whether the user has still to confirm the step.
func (s *step) due() bool { return !s.settled() || s.reopened }

// same reports whether two answers to a question say the same.
func same(a, b question.Answer) bool {
	return a.Custom == b.Custom && a.Note == b.Note && slices.Equal(a.Selected, b.Selected) && slices.Equal(a.Files, b.Files)
}

// view is the step at a place of steps, as faces see it; nil is the review.
func (d *Dialogue) view(at int) *Step {
	if at == review {
		return nil
	}
	s := &d.steps[at]
	out := s.Step
	if out.Place = slices.Index(d.visible, at) + 1; out.Place > 0 {
		out.Of = len(d.visible)
	}
	out.Answer, out.Typed, out.Declared = s.answer(), s.text, s.Question.Declared()
	out.Entered, out.Skipped, out.Untouched = s.entered, s.skipped, d.untouched(s)
	out.Rows = s.rows()
	return &out
}

// rows are the rows of the step.
func (s *step) rows() (rows []Row) {
	a := s.answer()
	for i := range s.Options {
		o := &s.Options[i]
		r := Row{Option: o, Number: i + 1, Marked: s.marked[i], Default: o.Default}
		switch {
		case s.Confirms() && o.ID == question.YesID:
			r.Kind = Yes
		case s.Confirms():
			r.Kind = No
		}
		rows = append(rows, r)
	}
	own := Row{Kind: Other, Option: s.Other, Marked: s.other}
	if !s.Chooses() {
		proposed := strings.TrimSpace(s.Default)
		own.Marked = s.other || a.Custom != "" && a.Custom != proposed
		if proposed != "" {
			rows = append(rows, Row{Kind: Proposed, Default: true, Marked: a.Custom == proposed})
		}
	}
	if s.TakesText() {
		rows = append(rows, own)
	}
	if !s.Required {
		rows = append(rows, Row{Kind: LeaveOpen, Marked: s.skipped})
	}
	return rows
}
