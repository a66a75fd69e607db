package question

import (
	"slices"
	"time"
)

// By is the answerer of an answer, in one word.
type By string

// The answerers.
const (
	ByUser    By = "user"    // the user
	ByProgram By = "program" // a program, with no evidence of the user
	// ByFrontEnd is in drafts alone: a front end that speaks for the user gave the
	// answer, and others of the set are open.
	ByFrontEnd By = "front end"
	ByCaller   By = "caller"  // the asker had the answer already
	ByTimeout  By = "timeout" // the declared default, after a timeout that was asked to take it
)

// Answer is the answer to one question. Without Selected, Custom and Files the question is
// left open, or left to the agent.
type Answer struct {
	QuestionID string   `json:"question_id"`
	Selected   []string `json:"selected,omitempty" jsonschema_description:"Option ids"`
	Custom     string   `json:"custom,omitempty" jsonschema_description:"Free text"`
	By         By       `json:"by,omitempty" jsonschema:"enum=user,enum=program,enum=caller,enum=timeout" jsonschema_description:"Who gave the answer; the user where it is empty"`
	Note       string   `json:"note,omitempty" jsonschema_description:"A word to the agent beside the answer; alone it answers nothing"`
	Delegated  bool     `json:"delegated,omitempty" jsonschema_description:"The user left the question to the agent; without an answer, and never for yes or no"`
	Files      []File   `json:"files,omitempty" jsonschema_description:"Attached; alone they answer where free text does"`
}

// Empty reports whether the question was left open.
func (a *Answer) Empty() bool { return len(a.Selected) == 0 && a.Custom == "" && len(a.Files) == 0 }

// Words returns the answer in words: the labels of the chosen options, in
// order, then the free text.
func (q *Question) Words(a *Answer) []string {
	var out []string
	for _, id := range a.Selected {
		if o := q.Option(id); o != nil {
			out = append(out, o.Label)
		}
	}
	if a.Custom != "" {
		out = append(out, a.Custom)
	}
	return out
}

// Reply is the reply to a set: answers, a dismissal with a reason, or the wish to
// discuss the set first.
type Reply struct {
	Dismissed bool     `json:"dismissed,omitempty"`
	Reason    string   `json:"reason,omitempty"`  // with Dismissed; may be empty
	Answers   []Answer `json:"answers,omitempty"` // one per answered question that was shown
	// Discuss means that the answers are those so far, and Note what the user wants to talk about.
	Discuss bool   `json:"discuss,omitempty"`
	Note    string `json:"note,omitempty"` // a word to the agent beside the answers
	// Took is how long the user had the questions in front of them; 0 where unknown.
	// The outcome keeps it.
	Took time.Duration `json:"-"`
	// Proof is the user's signature; nil for none. The outcome keeps it.
	Proof *Proof `json:"-"`
}

// Answer returns the answer to the question with this id, or nil.
func (r *Reply) Answer(id string) *Answer {
	return first(r.Answers, func(a *Answer) bool { return a.QuestionID == id })
}

// Files returns the files of all answers; none of a nil reply.
func (r *Reply) Files() (out []File) {
	if r == nil {
		return nil
	}
	for _, a := range r.Answers {
		out = append(out, a.Files...)
	}
	return out
}

// Given returns the answers in a draft that programs and front ends gave. A user
// still types the others.
func (r *Reply) Given() []Answer {
	return slices.DeleteFunc(slices.Clone(r.Answers),
		func(a Answer) bool { return a.By != ByProgram && a.By != ByFrontEnd })
}

// Put changes the answer to a question, one that is empty where there is none.
func (r *Reply) Put(id string, change func(*Answer)) {
	i := slices.IndexFunc(r.Answers, func(a Answer) bool { return a.QuestionID == id })
	if i < 0 {
		i, r.Answers = len(r.Answers), append(r.Answers, Answer{QuestionID: id})
	}
	change(&r.Answers[i])
}

// DefaultReply returns the reply of the declared defaults, with each answer by the
// timeout: silence is no consent. It is false where a required question that is shown
// declares none, or no question declares one.
func (s *Set) DefaultReply() (Reply, bool) {
	var r Reply
	for before := -1; before < len(r.Answers); { // a default may bring up follow-ups, whose defaults may bring up more
		before = len(r.Answers)
		for _, q := range s.Shown(r.Answers) {
			a := q.Declared()
			a.By = ByTimeout
			switch {
			case r.Answer(q.ID) != nil:
			case !a.Empty():
				r.Answers = append(r.Answers, a)
			case q.Required:
				return Reply{}, false
			}
		}
	}
	return r, len(r.Answers) > 0
}
