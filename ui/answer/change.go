package answer

import (
	"errors"
	"slices"
	"strings"

	"mcp-askuser/question"
)

// Faults: why a method has changed nothing. An answer that a question does not take because of
// its size or form is a question.Violations instead.
var (
	// ErrUntouched means that the user has not acted on the question yet, see Options.MustTouch.
	ErrUntouched = errors.New("nothing was entered here yet")
	// ErrRequired means that the question cannot be left open.
	ErrRequired = errors.New("the question needs an answer")
	// ErrNoWords means that Other is marked and has no words.
	ErrNoWords = errors.New("the answer in one's own words has no words")
	// ErrUnconfirmed means that a question is not confirmed yet.
	ErrUnconfirmed = errors.New("an answer is not confirmed yet")
	// ErrFirst means that no question is before this one.
	ErrFirst = errors.New("this is the first question")
	// ErrNothing means that nothing is proposed, or known from before.
	ErrNothing = errors.New("nothing to take over")
	// ErrNotHere means that the question has no such choice, takes no text, or is not shown.
	ErrNotHere = errors.New("not possible here")
)

// Choose marks a choice: of several beside the others, otherwise in their place. Other may
// have no words yet, see NeedsWords. Proposed takes the declared text; LeaveOpen is Skip.
func (q *Question) Choose(choice int) error {
	c, err := q.choice(choice)
	switch {
	case err != nil:
		return err
	case c.Kind == LeaveOpen:
		return q.Skip()
	case !q.Several():
		q.clear()
	}
	q.enter()
	q.mark(q.Question, choice, c.Kind, true)
	return nil
}

// Unchoose takes the mark off a choice. The words of Other stay.
func (q *Question) Unchoose(choice int) error {
	c, err := q.choice(choice)
	switch {
	case err != nil:
		return err
	case c.Kind == LeaveOpen:
		q.Skipped, q.touched = false, true
		return nil
	}
	q.enter()
	if c.Kind != Proposed || c.Marked {
		q.mark(q.Question, choice, c.Kind, false)
	}
	return nil
}

// Type replaces what is typed: the answer to a text question, or the words of Other, which it
// does not mark.
func (q *Question) Type(text string) error {
	if !q.TakesText() {
		return ErrNotHere
	}
	q.enter()
	q.text, q.typing = text, true
	return nil
}

// Put replaces the whole answer, as a line or a form has it: these choices and no others, and
// the text. On options a text marks Other; without one, what was typed stays, unmarked unless
// Other is among the choices. Without both it clears the question. More than the question takes
// is for Next and Reply to refuse.
func (q *Question) Put(choices []int, text string) error {
	if text != "" && !q.TakesText() {
		return ErrNotHere
	}
	put := q.content
	put.marked = slices.Clone(q.marked)
	put.clear()
	if text != "" || !q.Chooses() {
		put.text, put.other = text, q.AllowCustom
	}
	for _, i := range choices {
		c, err := q.choice(i)
		if err != nil {
			return err
		}
		put.mark(q.Question, i, c.Kind, true)
	}
	put.Skipped = put.Skipped && len(choices) == 1 && text == ""
	put.Entered, put.typing = true, false
	q.content, q.touched = put, true
	return nil
}

// Skip leaves the question open, once Next confirms it: ErrRequired where it cannot be.
func (q *Question) Skip() error {
	if q.Required {
		return ErrRequired
	}
	q.clear()
	q.Files = nil
	if !q.Chooses() {
		q.text = ""
	}
	q.enter()
	q.Skipped = true
	return nil
}

// Delegate leaves the question to the agent, once Next confirms it: ErrNotHere for a question of
// yes or no. A text that was typed stays, and does not count.
func (q *Question) Delegate() error {
	if q.Confirms() {
		return ErrNotHere
	}
	q.clear()
	q.Files = nil
	q.enter()
	q.Delegated = true
	return nil
}

// Accept takes the answer that the question holds, or else the declared default: ErrNothing
// where neither exists.
func (q *Question) Accept() error {
	held := q.Answer()
	if held.Empty() {
		declared := q.Declared()
		if declared.Empty() {
			return ErrNothing
		}
		q.restore(declared)
		q.Skipped = false
	}
	q.Entered, q.touched = true, true
	return nil
}

// Recall takes over the earlier answer, unconfirmed: ErrNothing where none is known.
func (q *Question) Recall() error {
	if q.Memory == nil {
		return ErrNothing
	}
	typed := q.text
	q.restore(q.Memory.Answer)
	if q.Chooses() && q.text == "" {
		q.text = typed
	}
	q.Skipped, q.touched = false, true
	return nil
}

// Touch says that the user moved to something in the question, see Options.MustTouch.
func (q *Question) Touch() { q.touched = true }

// WriteNote replaces the note to the agent beside the answer.
func (q *Question) WriteNote(text string) { q.Note = strings.TrimSpace(text) }

// Attach adds a file, which the desk keeps, to the answer. One more than an answer takes is a
// question.Violations.
func (q *Question) Attach(file question.File) error {
	files := append(slices.Clone(q.Files), file)
	if len(files) > question.MaxFiles {
		var found question.Violations
		found.AddTranslated("answers."+q.ID, "takes at most %d files, got %d", question.MaxFiles, len(files))
		return found
	}
	q.enter()
	q.Files = files
	return nil
}

// choice returns the choice of this index.
func (q *Question) choice(at int) (Choice, error) {
	choices := q.Choices()
	if at < 0 || at >= len(choices) {
		return Choice{}, ErrNotHere
	}
	return choices[at], nil
}

// enter notes that the user has changed what the question holds.
func (q *Question) enter() {
	q.Entered, q.touched = true, true
	q.Skipped, q.Delegated, q.typing = false, false, false
}

// confirm takes what the question holds as its answer, unless the question does not allow it.
func (q *Question) confirm() error {
	a, err := q.Check(q.Answer())
	switch {
	case q.Untouched():
		return ErrUntouched
	case q.NeedsWords():
		return ErrNoWords
	case err != nil:
		return err
	case q.Required && a.Empty() && !a.Delegated:
		return ErrRequired
	}
	q.Confirmed, q.touched = &a, true
	return nil
}

// WriteNote replaces the note to the agent beside all answers.
func (s *Set) WriteNote(text string) { s.note = strings.TrimSpace(text) }

// WriteReason replaces the reason for a dismissal, or the topic of a discussion. It is in
// drafts, and in no answer.
func (s *Set) WriteReason(text string) { s.reason = strings.TrimSpace(text) }

// Next confirms the current question and turns to the next that is not confirmed, then to the
// review where one is needed. Ready says that the answers can be sent: all are confirmed, and
// this call began at the review, or none is needed. At the review with a question that is not
// confirmed, Next turns to that one: ErrUnconfirmed.
func (s *Set) Next() (ready bool, err error) {
	q := s.Current()
	if q == nil {
		missing := firstOpen(s.Shown())
		if missing == nil {
			return true, nil
		}
		s.setCurrent(missing)
		return false, ErrUnconfirmed
	}
	err = q.confirm()
	if err != nil {
		return false, err
	}
	s.noteReview()
	shown := s.Shown()
	here := slices.Index(shown, q)
	next := firstOpen(shown[here+1:])
	switch {
	case next != nil:
		s.setCurrent(next)
	case s.Reviews():
		s.at = review
	default:
		return true, nil
	}
	return false, nil
}

// firstOpen returns the first question that the user has still to confirm, nil for none.
func firstOpen(questions []*Question) *Question {
	i := slices.IndexFunc(questions, func(q *Question) bool { return !q.settled() })
	if i < 0 {
		return nil
	}
	return questions[i]
}

// Back turns to the question before: ErrFirst on the first one.
func (s *Set) Back() error {
	before := s.Previous()
	if before == nil {
		return ErrFirst
	}
	s.setCurrent(before)
	return nil
}

// Goto turns to the question with this id: ErrNotHere where it is not shown.
func (s *Set) Goto(id string) error {
	q := s.Question(id)
	if q == nil || !slices.Contains(s.Shown(), q) {
		return ErrNotHere
	}
	s.setCurrent(q)
	return nil
}

// Review turns to the review, which is needed from then on.
func (s *Set) Review() { s.at, s.reviews = review, true }
