package dialogue

import (
	"slices"
	"strings"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Layout is how a face puts questions before the user. It decides when an answer
// counts and when a review is needed.
type Layout int

// The layouts.
const (
	// Pages shows one question a page, whose marks change until Next confirms them.
	// Declared defaults of a checkbox or text question are on their page. Going back to a
	// confirmed step leaves it confirmed. A review is needed where more than one question
	// is shown, or has been.
	Pages Layout = iota
	// Turns asks one question after the other, each answered in one go (Fill, then Next).
	// Going back to a step has it confirmed again. A review is needed where more than
	// one question is shown.
	Turns
	// Sheet shows all questions at once. What a step holds counts without Next, and
	// follow-ups open with the marks. No review is needed.
	Sheet
)

// Options are what a dialogue starts from beside its record. The zero value is a
// dialogue on pages that knows nothing else.
type Options struct {
	Layout Layout
	// Bare has Next take nothing from a step that the user has not acted on in this
	// dialogue (ErrUntouched): for faces that appear by themselves.
	Bare bool
	// Draft is what the user chose and typed before. None of it is confirmed. What does
	// not fit the set is left out.
	Draft question.Reply
	// Memory is how the user answered questions before, by question id.
	Memory map[string]desk.Memory
	// Began is when the user got the questions, and Now the clock; without both,
	// replies do not say how long the user took.
	Began time.Time
	Now   func() time.Time
}

// Dialogue is a question set that is being answered. Create one with [New].
type Dialogue struct {
	rec      desk.Record
	options  Options
	steps    []step // every question that the asker has no answer to
	visible  []int  // of steps: those that the answers bring up, in order
	at       int    // of steps: the current one; review is the review
	note     string // on the whole
	reason   string // to dismiss, or what to discuss
	restored bool   // the draft changed something
	long     bool   // a review is needed from now on, see Layout
	ending   ending // what Reply returns
}

// review is the position after the last step.
const review = -1

// ending is what Reply returns: answers unless the last act was another end.
type ending int

const (
	answers ending = iota
	dismissed
	discussed
)

// New returns a dialogue about a record. The record's texts are shown as they are:
// a face that translates them passes the translated record.
func New(rec desk.Record, o Options) *Dialogue {
	d := &Dialogue{
		rec: rec, options: o, at: review,
		note: strings.TrimSpace(o.Draft.Note), reason: strings.TrimSpace(o.Draft.Reason),
	}
	d.restored = d.note != "" || d.reason != ""
	for _, x := range d.rec.Responses() {
		if x.Collected != nil {
			continue
		}
		s := step{Step: Step{Question: x.Question, Depth: x.Depth}, content: newContent(x.Question, o.Layout == Pages)}
		s.secret = sync.OnceValue(x.Question.WantsSecret)
		if m, ok := o.Memory[x.ID]; ok {
			m.Words = x.Question.Words(&m.Answer) // as they are in the record
			s.Memory = &m
		}
		s.initial = s.draft()
		if a := o.Draft.Answer(x.ID); a != nil {
			s.Files = a.Files
			s.restore(*a)
			s.Note = strings.TrimSpace(a.Note)
			d.restored = d.restored || !same(s.initial, s.draft()) || s.entered
		}
		d.steps = append(d.steps, s)
	}
	d.bringUp()
	if len(d.visible) > 0 {
		d.at = d.visible[0]
	}
	return d
}

// Record returns the record that the dialogue is about.
func (d *Dialogue) Record() desk.Record { return d.rec }

// Steps returns the steps that the answers so far bring up, follow-ups included,
// in order.
func (d *Dialogue) Steps() (out []Step) {
	for _, at := range d.visible {
		out = append(out, *d.view(at))
	}
	return out
}

// All returns all steps, also those that no answer brings up, in the order of the
// set. They have Place 0.
func (d *Dialogue) All() (out []Step) {
	for at := range d.steps {
		out = append(out, *d.view(at))
	}
	return out
}

// Current returns the step that is due; nil is the review.
func (d *Dialogue) Current() *Step { return d.view(d.at) }

// Step returns the step of the question with this id, shown or not; nil where there is
// none.
func (d *Dialogue) Step(id string) *Step { return d.view(d.find(id)) }

// Previous returns the step to which Back leads; nil on the first.
func (d *Dialogue) Previous() *Step {
	at := len(d.visible)
	if d.at != review {
		at = slices.Index(d.visible, d.at)
	}
	if at <= 0 {
		return nil
	}
	return d.view(d.visible[at-1])
}

// Reviews reports whether a review is needed before sending, see Layout. One is also
// needed after the act Review, and where a note on the whole would be sent unseen.
func (d *Dialogue) Reviews() bool {
	return d.options.Layout != Sheet && (d.long || len(d.visible) != 1 || d.note != "")
}

// Restored reports whether the draft has brought anything back of which nothing is
// confirmed yet.
func (d *Dialogue) Restored() bool {
	return d.restored && !slices.ContainsFunc(d.steps, func(s step) bool { return s.Confirmed != nil })
}

// Note returns the word to the agent beside all answers.
func (d *Dialogue) Note() string { return d.note }

// Reason returns the word that goes with a dismissal, or the topic of a discussion.
func (d *Dialogue) Reason() string { return d.reason }

// Clone returns a copy that shares no state with d, to go back to later.
func (d *Dialogue) Clone() *Dialogue {
	c := *d
	c.visible = slices.Clone(d.visible)
	c.steps = slices.Clone(d.steps)
	for i := range c.steps {
		c.steps[i].content = d.steps[i].content.clone()
	}
	return &c
}

// find returns the place in steps of the question with this id, review for none.
func (d *Dialogue) find(id string) int {
	return slices.IndexFunc(d.steps, func(s step) bool { return s.ID == id })
}

// bringUp finds out which steps the answers call for. Those of steps that are hidden
// themselves count, so that they are as they were when they come up again.
func (d *Dialogue) bringUp() {
	var answers []question.Answer
	for i := range d.steps {
		switch s := &d.steps[i]; {
		case d.options.Layout == Sheet:
			answers = append(answers, s.answer())
		case s.Confirmed != nil:
			answers = append(answers, *s.Confirmed)
		}
	}
	d.visible = nil
	for _, x := range d.rec.Shown(answers) {
		d.visible = append(d.visible, d.find(x.ID))
	}
	d.long = d.long || d.options.Layout == Pages && len(d.visible) > 1
	if d.at != review && !slices.Contains(d.visible, d.at) {
		d.at = review
	}
}
