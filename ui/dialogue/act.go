package dialogue

import (
	"errors"
	"slices"
	"strings"

	"mcp-askuser/question"
)

// Act is one thing that the user does. The acts are the types of this file.
type Act interface {
	// do applies the act to a step; nil is the review.
	do(d *Dialogue, s *step) error
}

// Acts on what a step holds. At the review all but Note and Reason are
// ErrNotHere.
type (
	// Choose marks a row: of several beside the others, otherwise in their place. Other may
	// have no words yet, see Step.NeedsWords. Proposed takes the declared text; LeaveOpen is Skip.
	Choose struct{ Row int }
	// Unchoose takes the mark off a row. The words of Other stay.
	Unchoose struct{ Row int }
	// Text replaces what is typed: the answer to a text question, or the words of Other,
	// which it does not mark.
	Text struct{ Text string }
	// Fill replaces the whole answer, as a line or a form brings it: these rows and no
	// others, and the text. On a choice a text marks Other; without one, what was
	// typed stays, unmarked unless Other is among the rows. Fill without anything clears the
	// step. More than the question takes is for Next and Reply to refuse.
	Fill struct {
		Rows []int
		Text string
	}
	// Skip leaves the question open, once Next confirms it: ErrRequired where it cannot be.
	Skip struct{}
	// Accept takes what is proposed: the answer that the step holds, or else the
	// declared default. It is ErrNothing where neither exists.
	Accept struct{}
	// Recall puts the earlier answer into the step, unconfirmed. It is ErrNothing where no
	// earlier answer is known.
	Recall struct{}
	// Touch says that the user moved to something in the step, see Options.Bare.
	Touch struct{}
	// Note replaces the word to the agent beside the answer of the step, or at the review
	// beside all answers.
	Note struct{ Text string }
	// Attach adds a file, which the desk keeps, to the answer of the step. One more than an
	// answer takes is a question.Violations.
	Attach struct{ File question.File }
)

// Acts on the dialogue.
type (
	// Next confirms the step and turns to the next that is due, then to the review where
	// one is needed. At the review, and where none is needed, Change.Ready says that the
	// answers can be sent. Where a step is not confirmed yet, Next at the review turns there:
	// ErrUnconfirmed.
	Next struct{}
	// Back turns to the step before: ErrFirst on the first one.
	Back struct{}
	// Goto turns to the step of a question that is shown.
	Goto struct{ ID string }
	// Review turns to the review, which is needed from then on.
	Review struct{}
	// Reason keeps the word that is being written for a dismissal or a discussion. It is in
	// drafts, and goes with no answer.
	Reason struct{ Text string }
	// Dismiss has Reply dismiss the set, with a reason or without. All answers stay, in case
	// that cannot be sent: any other act goes back to them.
	Dismiss struct{ Reason string }
	// Discuss has Reply put the set back to be discussed, with the confirmed answers so far
	// and a word on what it is about. Otherwise it is like Dismiss.
	Discuss struct{ Topic string }
)

// Faults. A step that takes no answer because of its size or form has a
// question.Violations instead.
var (
	// ErrUntouched means that the user has not acted on the step yet, see Options.Bare.
	ErrUntouched = errors.New("nothing was entered here yet")
	// ErrRequired means that the question cannot be left open.
	ErrRequired = errors.New("the question needs an answer")
	// ErrNoWords means that Other is marked and has no words.
	ErrNoWords = errors.New("the answer in one's own words has no words")
	// ErrUnconfirmed means that a step is not confirmed yet.
	ErrUnconfirmed = errors.New("an answer is not confirmed yet")
	// ErrFirst means that no step is before this one.
	ErrFirst = errors.New("this is the first question")
	// ErrNothing means that nothing is proposed, or known from before.
	ErrNothing = errors.New("nothing to take over")
	// ErrNotHere means that the step has no such row, takes no text, or does not exist.
	ErrNotHere = errors.New("not possible here")
)

// Change says what an act changed.
type Change struct {
	Turned bool // another step, or the review, is current
	Draft  bool // what Draft returns has changed
	Ready  bool // Reply is to be committed
}

// Act applies an act to the current step. An error is the fault to show: a sentinel
// of this package or a question.Violations; Step.Fault has it until the next act. The
// act then changed nothing, but that Next at the review turns to what is missing.
func (d *Dialogue) Act(a Act) (Change, error) { return d.apply(d.at, a) }

// ActOn applies an act to the step of this question, shown or not, as on a page where
// all are in sight; with an empty id as at the review. The current step stays current.
func (d *Dialogue) ActOn(id string, a Act) (Change, error) {
	at := d.find(id)
	if at == review && id != "" {
		return Change{}, ErrNotHere
	}
	return d.apply(at, a)
}

func (d *Dialogue) apply(at int, a Act) (Change, error) {
	before, draft := d.at, d.Draft()
	d.ending = answers
	var s *step
	if at != review {
		s = &d.steps[at]
		s.Fault = nil
	}
	err := d.do(s, a)
	switch _, types := a.(Text); {
	case s == nil:
	case err != nil:
		s.Fault = err
	default:
		s.typing = types
	}
	if d.options.Layout == Sheet {
		d.bringUp()
	}
	return Change{Turned: d.at != before, Draft: !sameDraft(draft, d.Draft()), Ready: err == nil && d.ready(a, before)}, err
}

// do applies an act, where it is possible.
func (d *Dialogue) do(s *step, a Act) error {
	switch a.(type) {
	case Note, Next, Back, Goto, Review, Reason, Dismiss, Discuss:
	default:
		if s == nil {
			return ErrNotHere
		}
	}
	return a.do(d, s)
}

// ready reports whether an act that began at a step has led to a reply.
func (d *Dialogue) ready(a Act, from int) bool {
	switch a.(type) {
	case Dismiss, Discuss:
		return true
	case Next:
		return d.at == from && (d.at == review || !d.Reviews())
	}
	return false
}

// untouched reports whether Next takes nothing from a step yet.
func (d *Dialogue) untouched(s *step) bool { return d.options.Bare && !s.touched }

// row returns the row of this index.
func (s *step) row(i int) (Row, error) {
	rows := s.rows()
	if i < 0 || i >= len(rows) {
		return Row{}, ErrNotHere
	}
	return rows[i], nil
}

// enter notes that the user has changed what the step holds.
func (s *step) enter() { s.entered, s.touched, s.skipped = true, true, false }

func (a Choose) do(d *Dialogue, s *step) error {
	r, err := s.row(a.Row)
	switch {
	case err != nil:
		return err
	case r.Kind == LeaveOpen:
		return Skip{}.do(d, s)
	case !s.Several():
		s.clear()
	}
	s.enter()
	s.mark(s.Question, a.Row, r.Kind, true)
	return nil
}

func (a Unchoose) do(_ *Dialogue, s *step) error {
	r, err := s.row(a.Row)
	switch {
	case err != nil:
		return err
	case r.Kind == LeaveOpen:
		s.skipped, s.touched = false, true
		return nil
	}
	s.enter()
	if r.Kind != Proposed || r.Marked {
		s.mark(s.Question, a.Row, r.Kind, false)
	}
	return nil
}

func (a Text) do(_ *Dialogue, s *step) error {
	if !s.TakesText() {
		return ErrNotHere
	}
	s.enter()
	s.text = a.Text
	return nil
}

func (a Fill) do(_ *Dialogue, s *step) error {
	fresh := s.content.clone()
	fresh.clear()
	if a.Text != "" || !s.Chooses() {
		fresh.text, fresh.other = a.Text, s.AllowCustom
	}
	if a.Text != "" && !s.TakesText() {
		return ErrNotHere
	}
	rows := s.rows()
	for _, i := range a.Rows {
		if i < 0 || i >= len(rows) {
			return ErrNotHere
		}
		fresh.mark(s.Question, i, rows[i].Kind, true)
	}
	fresh.skipped = fresh.skipped && len(a.Rows) == 1 && a.Text == ""
	fresh.entered = true
	s.content, s.touched = fresh, true
	return nil
}

func (Skip) do(_ *Dialogue, s *step) error {
	if s.Required {
		return ErrRequired
	}
	s.clear()
	s.Files = nil
	if !s.Chooses() {
		s.text = ""
	}
	s.enter()
	s.skipped = true
	return nil
}

func (Accept) do(_ *Dialogue, s *step) error {
	if a := s.answer(); a.Empty() {
		a = s.Question.Declared()
		if a.Empty() {
			return ErrNothing
		}
		s.restore(a)
		s.skipped = false
	}
	s.touched = true
	return nil
}

func (Recall) do(_ *Dialogue, s *step) error {
	if s.Memory == nil {
		return ErrNothing
	}
	typed := s.text
	s.restore(s.Memory.Answer)
	if s.Chooses() && s.text == "" {
		s.text = typed
	}
	s.skipped, s.touched = false, true
	return nil
}

func (Touch) do(_ *Dialogue, s *step) error {
	s.touched = true
	return nil
}

func (a Note) do(d *Dialogue, s *step) error {
	note := &d.note
	if s != nil {
		note = &s.Note
	}
	*note = strings.TrimSpace(a.Text)
	return nil
}

func (a Attach) do(_ *Dialogue, s *step) error {
	files := append(slices.Clone(s.Files), a.File)
	if len(files) > question.MaxFiles {
		var found question.Violations
		found.AddTranslated("answers."+s.ID, "takes at most %d files, got %d", question.MaxFiles, len(files))
		return found
	}
	s.enter()
	s.Files = files
	return nil
}

func (a Reason) do(d *Dialogue, _ *step) error {
	d.reason = strings.TrimSpace(a.Text)
	return nil
}

func (a Dismiss) do(d *Dialogue, _ *step) error {
	d.ending, d.reason = dismissed, strings.TrimSpace(a.Reason)
	return nil
}

func (a Discuss) do(d *Dialogue, _ *step) error {
	d.ending, d.reason = discussed, strings.TrimSpace(a.Topic)
	return nil
}

func (Next) do(d *Dialogue, s *step) error {
	if s == nil {
		return d.missing()
	}
	if err := d.confirm(s); err != nil {
		return err
	}
	d.bringUp()
	at := d.find(s.ID)
	if d.options.Layout == Sheet || at != d.at {
		return nil
	}
	here := slices.Index(d.visible, at)
	rest := d.visible[here+1:]
	if d.options.Layout == Turns { // which has no page on which to find one that was left out
		rest = slices.Concat(rest, d.visible[:here])
	}
	if next := slices.IndexFunc(rest, func(i int) bool { return d.steps[i].due() }); next >= 0 {
		d.at = rest[next]
	} else if d.Reviews() {
		d.at = review
	}
	return nil
}

// missing turns to the first step that is not confirmed. Nil means that all are.
func (d *Dialogue) missing() error {
	for _, at := range d.visible {
		if d.steps[at].due() && d.options.Layout != Sheet {
			d.at, d.steps[at].Fault = at, ErrUnconfirmed
			return ErrUnconfirmed
		}
	}
	return nil
}

// confirm takes what a step holds as its answer, unless the question does not allow it.
func (d *Dialogue) confirm(s *step) error {
	a, err := s.Check(s.answer())
	switch {
	case d.untouched(s):
		return ErrUntouched
	case s.other && a.Custom == "" && len(a.Files) == 0:
		return ErrNoWords
	case err != nil:
		return err
	case s.Required && a.Empty():
		return ErrRequired
	}
	s.Confirmed, s.touched, s.reopened = &a, true, false
	return nil
}

func (Back) do(d *Dialogue, _ *step) error {
	before := d.Previous()
	if before == nil {
		return ErrFirst
	}
	d.turn(d.find(before.ID))
	return nil
}

func (a Goto) do(d *Dialogue, _ *step) error {
	at := d.find(a.ID)
	if !slices.Contains(d.visible, at) {
		return ErrNotHere
	}
	d.turn(at)
	return nil
}

// turn makes a step the current one, to be confirmed again where the layout says so.
func (d *Dialogue) turn(at int) {
	d.at = at
	d.steps[at].reopened = d.options.Layout == Turns
}

func (Review) do(d *Dialogue, _ *step) error {
	if d.options.Layout == Sheet {
		return ErrNotHere
	}
	d.at, d.long = review, true
	return nil
}
