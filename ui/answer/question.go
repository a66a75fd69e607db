package answer

import (
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Kind is the kind of a choice.
type Kind int

// The kinds of choices.
const (
	Option    Kind = iota // an option of the asker's
	Yes                   // the yes of a yes-or-no question
	No                    // its no
	Proposed              // the declared text of a text question
	Other                 // the user's own words
	LeaveOpen             // no answer, where the question is optional
)

// Choice is one thing that a question can be answered with.
type Choice struct {
	Kind Kind
	// Option is the asker's option, with Option, Yes and No. With Other it is the asker's wording
	// for it, nil where the asker gave none; otherwise nil.
	Option *question.Option
	// Number is the option's place from 1; 0 for what is no option.
	Number int
	Marked bool // it is part of the answer that the question holds
	// Default says that the asker declared it as default.
	Default bool
}

// Offered reports whether the choice is an option of the asker's, yes and no included.
func (c Choice) Offered() bool { return c.Kind <= No }

// Key is the key that chooses it, on every surface with keys; empty for none.
func (c Choice) Key() string {
	switch {
	case c.Kind == Yes:
		return "y"
	case c.Kind == No:
		return "n"
	case c.Kind == Other:
		return "0"
	case c.Offered():
		return strconv.Itoa(c.Number)
	}
	return ""
}

// Question is a question that is being answered. Its fields are for reading; its methods and
// those of its [Set] change them.
type Question struct {
	*question.Question
	Depth int // 0 for a question of the set, 1 for its follow-ups, and so on
	// Memory is how the user answered the question before; nil where that is not known.
	Memory *desk.Memory
	Note   string
	Files  []question.File
	// Confirmed is the answer that Next took last, nil before.
	Confirmed *question.Answer
	content

	initial   question.Answer // its draft at first
	secret    func() bool     // its text is in no draft
	mustTouch bool            // see Options.MustTouch
	touched   bool            // by the user, in this set
}

// content is what a question holds.
type content struct {
	// Entered says that the answer is the user's, from this set or a draft. Otherwise it is empty
	// or declared.
	Entered bool
	// Skipped says that the user wants to leave the question open, and Delegated that they leave
	// it to the agent.
	Skipped, Delegated bool

	marked []bool // by option
	other  bool   // the user's own words count
	text   string // those words, or the answer to a text question
	typing bool   // the last change was to the text
}

// newContent returns what a question holds at first: its declared default, or nothing.
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

// clear takes away all marks. A text that was typed stays.
func (c *content) clear() {
	clear(c.marked)
	c.other, c.Skipped, c.Delegated = false, false, false
}

// mark puts a choice into the answer to q, or takes it out.
func (c *content) mark(q *question.Question, choice int, kind Kind, on bool) {
	switch kind {
	case Option, Yes, No:
		c.marked[choice] = on
	case Other:
		c.other = on
	case LeaveOpen:
		c.Skipped = on
	case Proposed:
		c.text = ""
		if on {
			c.text = q.Default
		}
	}
}

// Choices are the options in order, then Proposed, Other and LeaveOpen where the question takes
// them. Choose and Unchoose name a choice by its index here.
func (q *Question) Choices() (choices []Choice) {
	for i := range q.Options {
		o := &q.Options[i]
		c := Choice{Option: o, Number: i + 1, Marked: q.marked[i], Default: o.Default}
		switch {
		case q.Confirms() && o.ID == question.YesID:
			c.Kind = Yes
		case q.Confirms():
			c.Kind = No
		}
		choices = append(choices, c)
	}
	own := Choice{Kind: Other, Option: q.Question.Other, Marked: q.other}
	if !q.Chooses() {
		text, proposed := q.Answer().Custom, strings.TrimSpace(q.Default)
		own.Marked = q.other || text != "" && text != proposed
		if proposed != "" {
			choices = append(choices, Choice{Kind: Proposed, Default: true, Marked: text == proposed})
		}
	}
	if q.TakesText() {
		choices = append(choices, own)
	}
	if !q.Required {
		choices = append(choices, Choice{Kind: LeaveOpen, Marked: q.Skipped})
	}
	return choices
}

// Choice returns the index of the first choice of a kind, -1 where none is of it.
func (q *Question) Choice(k Kind) int {
	return slices.IndexFunc(q.Choices(), func(c Choice) bool { return c.Kind == k })
}

// OptionChoice returns the index of the choice of the option with this id, -1 where no option
// has it.
func (q *Question) OptionChoice(id string) int {
	return slices.IndexFunc(q.Options, func(o question.Option) bool { return o.ID == id })
}

// Marks reports whether any choice is marked.
func (q *Question) Marks() bool {
	return slices.ContainsFunc(q.Choices(), func(c Choice) bool { return c.Marked })
}

// Answer returns the answer that the question holds, confirmed or not, in normal form, note
// included.
func (q *Question) Answer() question.Answer {
	a := question.Answer{QuestionID: q.ID, Note: q.Note, Files: q.Files, Delegated: q.Delegated}
	for i, marked := range q.marked {
		if marked {
			a.Selected = append(a.Selected, q.Options[i].ID)
		}
	}
	if q.other || !q.Chooses() && !q.Delegated {
		a.Custom = q.text
	}
	return q.Normal(a)
}

// Typed returns what was typed in Other or as the answer, as it was typed, also while it is
// not marked. On pages it begins as the declared text.
func (q *Question) Typed() string { return q.text }

// Untouched reports whether Next would refuse the question with ErrUntouched.
func (q *Question) Untouched() bool { return q.mustTouch && !q.touched }

// NeedsWords reports whether Other is marked and nothing is typed in it yet.
func (q *Question) NeedsWords() bool {
	return q.other && strings.TrimSpace(q.text) == "" && len(q.Files) == 0
}

// LeadsOn reports whether follow-up questions are shown once Next confirms the question: of several
// with the marks that it has, else with this choice.
func (q *Question) LeadsOn(choice int) bool {
	for i, o := range q.Options {
		taken := i == choice && !q.Delegated
		if q.Several() {
			taken = q.marked[i]
		}
		if taken && slices.ContainsFunc(o.FollowUps, func(f question.Question) bool { return f.Collected == nil }) {
			return true
		}
	}
	return false
}

// draft is what of the question is worth keeping: beside the answer the words of Other while
// another option is marked, and of several while they are being typed, and a text while the
// question is left to the agent. A secret is not kept.
func (q *Question) draft() question.Answer {
	a := q.Answer()
	if q.AllowCustom && (!q.Several() || q.typing) || q.Delegated {
		a.Custom = strings.TrimSpace(q.text)
	}
	if a.Custom != "" && q.secret() {
		a.Custom = ""
	}
	return a
}

// restore puts an answer from elsewhere into the question, as far as it fits.
func (q *Question) restore(a question.Answer) {
	q.clear()
	q.typing = false
	for _, id := range a.Selected {
		i := q.OptionChoice(id)
		if i >= 0 && (q.Several() || !slices.Contains(q.marked, true)) {
			q.marked[i] = true
		}
	}
	q.text = ""
	if q.TakesText() {
		q.text = a.Custom
	}
	q.Delegated = a.Delegated
	q.other = q.AllowCustom && !q.Delegated && strings.TrimSpace(q.text) != "" &&
		(q.Several() || !slices.Contains(q.marked, true))
	held := q.Answer()
	q.Delegated = held.Delegated
	q.Entered = !held.Empty() || held.Delegated
}

// settled reports whether the question holds what was confirmed.
func (q *Question) settled() bool { return q.Confirmed != nil && same(*q.Confirmed, q.Answer()) }

// same reports whether two answers to a question say the same.
func same(a, b question.Answer) bool {
	return a.Custom == b.Custom && a.Note == b.Note && a.Delegated == b.Delegated &&
		slices.Equal(a.Selected, b.Selected) && slices.Equal(a.Files, b.Files)
}
