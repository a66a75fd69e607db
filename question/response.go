package question

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// State is the state of one question of a set.
type State string

// The states of a question. The words are those of the tool's result.
const (
	StateAnswered   State = "answered"
	StateUnanswered State = "unanswered" // shown, and left open
	StateNotShown   State = "not_shown"  // a follow-up that no answer brought up
	StateDelegated  State = "delegated"  // left to the agent: never the user's choice
)

// Response is one question of a set with its state. Results, formats, histories, pages
// and transcripts render lists of them.
type Response struct {
	*Question
	Place  int     // among the questions of the set, from 0; -1 for a follow-up
	Depth  int     // 0 for a question of the set, 1 for its follow-up, and so on
	State  State   // answered exactly when there is an Answer
	Answer *Answer // the user's, or the one the caller brought along
	Note   string  // the user's word beside it, or in its place
}

// Responses returns every question of the set, each before its follow-ups, with its
// answer in the reply; nil is no reply.
func (s *Set) Responses(r *Reply) []Response {
	if r == nil {
		r = &Reply{}
	}
	var out []Response
	var walk func(qs []Question, depth int, shown bool)
	walk = func(qs []Question, depth int, shown bool) {
		for i := range qs {
			q := &qs[i]
			x := Response{Question: q, Place: i, Depth: depth, State: StateNotShown}
			if depth > 0 {
				x.Place = -1
			}
			if shown {
				x.State = StateUnanswered
				if a := cmp.Or(q.Collected, r.Answer(q.ID)); a != nil {
					x.Note = a.Note
					switch {
					case !a.Empty():
						x.State, x.Answer = StateAnswered, a
					case a.Delegated:
						x.State = StateDelegated
					}
				}
			}
			out = append(out, x)
			for j := range q.Options {
				chosen := x.Answer != nil && slices.Contains(x.Answer.Selected, q.Options[j].ID)
				walk(q.Options[j].FollowUps, depth+1, chosen)
			}
		}
	}
	walk(s.Questions, 0, true)
	return out
}

// Asked returns the responses to questions that the user was asked: no follow-ups that
// were not shown, and no questions that the caller had an answer to.
func (s *Set) Asked(r *Reply) []Response {
	return slices.DeleteFunc(s.Responses(r), func(x Response) bool {
		return x.State == StateNotShown || x.Collected != nil
	})
}

// Recommended returns the label of the option that the asker recommends, or else of its default;
// empty for none.
func (q *Question) Recommended() string {
	recommended := func(o Option) bool { return strings.HasSuffix(o.Label, "(Recommended)") }
	if i := slices.IndexFunc(q.Options, recommended); i >= 0 {
		return q.Options[i].Label
	}
	if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Default }); i >= 0 {
		return q.Options[i].Label
	}
	return ""
}

// Key is question-N for the question at place N; of a follow-up it is the id.
func (x *Response) Key() string {
	if x.Place < 0 {
		return x.ID
	}
	return "question-" + strconv.Itoa(x.Place)
}

// By is the answerer of the answer; empty where there is none.
func (x *Response) By() By {
	if x.Answer == nil {
		return ""
	}
	return cmp.Or(x.Answer.By, ByUser)
}

// Words returns the answer in words: the labels of the chosen options, in
// order, then the free text, then the files. None where there is no answer.
func (x *Response) Words() []string {
	if x.Answer == nil {
		return nil
	}
	return append(x.Question.Words(x.Answer), x.Answer.FileWords()...)
}

// Text is the answer in words, several joined with a comma.
func (x *Response) Text() string { return strings.Join(x.Words(), ", ") }

// Pair is the question and its answer, as models read them.
func (x *Response) Pair() string { return `"` + x.Question.Text + `"="` + x.Text() + `"` }

// Value is the answer in the form its question has: true or false, a list of several words, or
// a text; nil where there is none.
func (x *Response) Value() any {
	switch {
	case x.Answer == nil:
		return nil
	case x.Confirms():
		return slices.Contains(x.Answer.Selected, YesID)
	case x.Several():
		return x.Words()
	}
	return x.Text()
}
