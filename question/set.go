// Package question is the domain: what may be asked (sets, questions, options,
// follow-ups), what may be answered (replies), and the rules that hold between
// the two. It does no I/O, reads no clock and no environment, and imports none
// of our packages. It must not know the asker, where a question is shown or how
// it is stored; wire forms are converted to and from these types at their edge.
package question

import (
	"encoding/json"
	"slices"
)

// MaxDepth is how deep follow-up questions may be nested below a top-level one.
const MaxDepth = 3

// Set is the one to four questions of one call, answered together.
type Set struct {
	Questions []Question `json:"questions"`
	// Metadata is the caller's own, kept in the record and never shown.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Confirms reports whether the set is a confirmation: one yes-or-no question,
// and its asker has not put the two in words of its own.
func (s *Set) Confirms() bool {
	return len(s.Questions) == 1 && s.Questions[0].Confirms() &&
		slices.EqualFunc(s.Questions[0].Options, YesAndNo(), func(a, b Option) bool { return a.Label == b.Label })
}

// Fingerprint is the same for sets with the same questions and options, in the same order.
func (s *Set) Fingerprint() string {
	data, _ := json.Marshal(s.Questions) // which were decoded from JSON
	return string(data)
}

// Provable reports whether an answer to the set can be proven: it is a confirmation that has no
// follow-up questions, and that its asker has not answered itself.
func (s *Set) Provable() bool {
	return s.Confirms() && len(s.All()) == 1 && s.Questions[0].Collected == nil
}

// Confirmation is the header of a question for leave to act.
const Confirmation = "Confirm"

// AsksLeave reports whether the set asks for leave to act, as confirm_action does: a
// no forbids the action.
func (s *Set) AsksLeave() bool { return s.Confirms() && s.Questions[0].Header == Confirmation }

// first returns the first of some that is as wanted, or nil.
func first[T any](all []T, wanted func(*T) bool) *T {
	for i := range all {
		if wanted(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// Shown returns the questions that are to be shown given these answers, in
// the order in which to show them: each question, then the follow-ups of its
// chosen options. A collected question is not shown, the follow-ups of its
// collected options are.
func (s *Set) Shown(answers []Answer) []Response { return s.Asked(&Reply{Answers: answers}) }

// All returns every question of the set, follow-ups included, whether or not
// the present answers bring it up.
func (s *Set) All() []*Question {
	var out []*Question
	for _, x := range s.Responses(nil) {
		out = append(out, x.Question)
	}
	return out
}

// Find returns the question with this id, follow-ups included, or nil.
func (s *Set) Find(id string) *Question {
	return s.find(func(q *Question) bool { return q.ID == id })
}

func (s *Set) find(wanted func(*Question) bool) *Question {
	if q := first(s.All(), func(q **Question) bool { return wanted(*q) }); q != nil {
		return *q
	}
	return nil
}
