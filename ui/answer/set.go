package answer

import (
	"slices"
	"strings"
	"sync"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Options are what a set starts from beside its record. The zero value is a set of questions that
// are asked one after the other, without anything known from before. What a question holds changes
// until Next confirms it; a declared default of a checkbox or text question is in it from the
// beginning. Going back to a confirmed question leaves it confirmed.
type Options struct {
	// Sheet is a set of which all questions are shown at once. What a question holds counts
	// without Next, and follow-ups are shown with the marks. No review is needed.
	Sheet bool
	// MustTouch has Next refuse a question that the user has not acted on in this set.
	MustTouch bool
	// Draft is what the user chose and typed before. None of it is confirmed. What does not fit
	// the set is left out.
	Draft question.Reply
	// Memory is how the user answered questions before, by question id.
	Memory map[string]desk.Memory
}

// Set is a question set that is being answered. Create one with [New].
type Set struct {
	rec       desk.Record
	options   Options
	questions []*Question // every question that the asker has no answer to
	at        int         // of questions: the current one; review is the review
	note      string      // on the whole
	reason    string      // to dismiss, or what to discuss
	restored  bool        // the draft changed something
	byProgram bool        // and a program had a part in it
	reviews   bool        // a review is needed from now on
}

// review is the position after the last question.
const review = -1

// New returns a set for a record. The record's texts are shown as they are: a surface that
// translates them passes the translated record.
func New(rec desk.Record, o Options) *Set {
	s := &Set{
		rec: rec, options: o, at: review,
		note: strings.TrimSpace(o.Draft.Note), reason: strings.TrimSpace(o.Draft.Reason),
	}
	s.restored = s.note != "" || s.reason != ""
	for _, x := range s.rec.Responses() {
		if x.Collected != nil {
			continue
		}
		q := &Question{Question: x.Question, Depth: x.Depth, content: newContent(x.Question, !o.Sheet)}
		q.mustTouch, q.secret = o.MustTouch, sync.OnceValue(x.WantsSecret)
		if m, ok := o.Memory[x.ID]; ok {
			m.Words = x.Question.Words(&m.Answer) // as they are in the record
			q.Memory = &m
		}
		q.initial = q.draft()
		if a := o.Draft.Answer(x.ID); a != nil {
			q.Files = a.Files
			q.restore(*a)
			q.Note = strings.TrimSpace(a.Note)
			s.restored = s.restored || !same(q.initial, q.draft()) || q.Entered
			s.byProgram = s.byProgram || a.By == question.ByProgram
		}
		s.questions = append(s.questions, q)
	}
	if shown := s.Shown(); len(shown) > 0 {
		s.setCurrent(shown[0])
	}
	s.noteReview()
	return s
}

// Record returns the record that is answered.
func (s *Set) Record() desk.Record { return s.rec }

// All returns all questions that are asked, also those that no answer calls for, in the order
// of the record.
func (s *Set) All() []*Question { return s.questions }

// Shown returns the questions that the answers so far call for, follow-ups included, in order.
// Answers to questions that are not shown count here, so that their follow-ups are as they were
// once they are shown again.
func (s *Set) Shown() (out []*Question) {
	var answers []question.Answer
	for _, q := range s.questions {
		switch {
		case s.options.Sheet:
			answers = append(answers, q.Answer())
		case q.Confirmed != nil:
			answers = append(answers, *q.Confirmed)
		}
	}
	for _, x := range s.rec.Shown(answers) {
		out = append(out, s.Question(x.ID))
	}
	return out
}

// Place returns the place of a question among those that are shown, from 1, and how many these
// are. The place is 0 where the question is not shown.
func (s *Set) Place(q *Question) (place, of int) {
	shown := s.Shown()
	return slices.Index(shown, q) + 1, len(shown)
}

// Current returns the question that the user answers now; nil is the review.
func (s *Set) Current() *Question {
	if s.at == review {
		return nil
	}
	return s.questions[s.at]
}

// Question returns the question with this id, shown or not; nil where none has it.
func (s *Set) Question(id string) *Question {
	i := slices.IndexFunc(s.questions, func(q *Question) bool { return q.ID == id })
	if i < 0 {
		return nil
	}
	return s.questions[i]
}

// Previous returns the question to which Back turns; nil on the first.
func (s *Set) Previous() *Question {
	shown := s.Shown()
	at := len(shown)
	if s.at != review {
		at = slices.Index(shown, s.questions[s.at])
	}
	if at <= 0 {
		return nil
	}
	return shown[at-1]
}

// Reviews reports whether a review is needed before sending: where more than one question is
// shown, or has been, after a call of Review, and where a note on the whole would be sent unseen.
func (s *Set) Reviews() bool {
	return !s.options.Sheet && (s.reviews || len(s.Shown()) != 1 || s.note != "")
}

// Restored reports whether the draft has restored anything of which nothing is confirmed yet.
func (s *Set) Restored() bool {
	return s.restored && !slices.ContainsFunc(s.questions, func(q *Question) bool { return q.Confirmed != nil })
}

// ByProgram reports whether a program has filled in an answer of the draft.
func (s *Set) ByProgram() bool { return s.byProgram }

// Note returns the note to the agent beside all answers.
func (s *Set) Note() string { return s.note }

// Reason returns the reason for a dismissal, or the topic of a discussion.
func (s *Set) Reason() string { return s.reason }

// Clone returns a copy that shares no state with s.
func (s *Set) Clone() *Set {
	c := *s
	c.questions = make([]*Question, len(s.questions))
	for i, q := range s.questions {
		copied := *q
		copied.marked = slices.Clone(q.marked)
		c.questions[i] = &copied
	}
	return &c
}

// setCurrent makes a question the current one.
func (s *Set) setCurrent(to *Question) { s.at = slices.Index(s.questions, to) }

// noteReview remembers that more than one question was shown.
func (s *Set) noteReview() {
	s.reviews = s.reviews || !s.options.Sheet && len(s.Shown()) > 1
}
