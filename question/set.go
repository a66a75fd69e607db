// Package question is the domain: what may be asked (sets, questions, options,
// follow-ups), what may be answered (replies), and the rules that hold between
// the two. It does no I/O, reads no clock and no environment, and imports none
// of our packages. It must not know the asker, where a question is shown or how
// it is stored; wire forms are converted to and from these types at their edge.
package question

import "slices"

// MaxDepth is how deep follow-up questions may be nested below a top-level one.
const MaxDepth = 3

// Set is the one to four questions of one call, answered together.
type Set struct {
	Questions []Question `json:"questions"`
	// Metadata is the caller's own, kept in the record and never shown.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Question is one question of a set, or a follow-up below one of its options.
// Texts are kept as the asker wrote them; what shows one passes it through
// [Line] or [Block] first.
type Question struct {
	ID          string   `json:"question_id"` // unique in the set, follow-ups included
	Text        string   `json:"question"`
	Header      string   `json:"header,omitempty"`
	Description string   `json:"description,omitempty"`
	Type        Type     `json:"type"`
	Options     []Option `json:"options,omitempty"` // empty for Text, two for Boolean
	Required    bool     `json:"required"`
	// AllowCustom adds "Other": free text instead of, or beside, the options.
	// Never true for Text and Boolean.
	AllowCustom bool `json:"allow_custom"`
	// Other is the asker's own wording for the free-text option, when it gave
	// one among its options. Label and description are otherwise empty.
	Other *Option `json:"other,omitempty"`
	// Default is the proposed text of a Text question. Options carry their own.
	// A default becomes an answer only when the human confirms it.
	Default     string `json:"default,omitempty"`
	Placeholder string `json:"placeholder,omitempty"`
	// Collected is an answer the caller says it already has. Such a
	// question is not asked again, and is never reported as the user's word.
	Collected *Answer `json:"collected,omitempty"`
}

// Option is one choice of a question.
type Option struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default,omitempty"`
	Preview     string `json:"preview,omitempty"` // preformatted
	// FollowUps come up when the option is chosen. In records they have the name
	// that a call gives them, so that a record can be asked again as it is.
	FollowUps []Question `json:"follow_up_questions,omitempty"`
}

// Confirms reports whether the set is a confirmation: one yes-or-no question,
// and its asker has not put the two in words of its own.
func (s *Set) Confirms() bool {
	return len(s.Questions) == 1 && s.Questions[0].Confirms() &&
		slices.EqualFunc(s.Questions[0].Options, YesAndNo(), func(a, b Option) bool { return a.Label == b.Label })
}

// Confirmation is the header of a question for leave to act.
const Confirmation = "Confirm"

// AsksLeave reports whether the set asks for leave to act, as confirm_action does: a
// no forbids the action.
func (s *Set) AsksLeave() bool { return s.Confirms() && s.Questions[0].Header == Confirmation }

// Option returns the option with this id, or nil.
func (q *Question) Option(id string) *Option {
	return first(q.Options, func(o *Option) bool { return o.ID == id })
}

// first returns the first of some that is as wanted, or nil.
func first[T any](all []T, wanted func(*T) bool) *T {
	for i := range all {
		if wanted(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// Defaults returns the ids of the options declared as default, in order.
func (q *Question) Defaults() []string {
	var ids []string
	for _, o := range q.Options {
		if o.Default {
			ids = append(ids, o.ID)
		}
	}
	return ids
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
