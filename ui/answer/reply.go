package answer

import (
	"errors"
	"slices"
	"strings"

	"mcp-askuser/question"
)

// Reply returns the answers to commit, in normal form. The error is a question.Violations with
// every fault; a question that is not confirmed is one of them.
func (s *Set) Reply() (question.Reply, error) {
	var found question.Violations
	for _, q := range s.Shown() {
		switch {
		case !s.options.Sheet && !q.settled():
			found.AddTranslated("answers."+q.ID, "is not confirmed yet")
		case q.NeedsWords():
			found.AddTranslated("answers."+q.ID, "write what it is, or choose something else")
		}
	}
	return s.check(question.Reply{Note: s.note, Answers: s.Answers()}, found)
}

// Dismissal returns the reply that dismisses the set, with the reason.
func (s *Set) Dismissal() (question.Reply, error) {
	return s.check(question.Reply{Dismissed: true, Reason: s.reason}, nil)
}

// Discussion returns the reply that asks to discuss the set first, with the confirmed answers
// and the topic.
func (s *Set) Discussion() (question.Reply, error) {
	note := strings.TrimSpace(s.note + "\n" + s.reason)
	return s.check(question.Reply{Discuss: true, Note: note, Answers: s.Answers()}, nil)
}

// check returns the reply in normal form, and what was found together with the faults of the
// record's own check; of a question with both, only the first.
func (s *Set) check(r question.Reply, found question.Violations) (question.Reply, error) {
	out, err := s.rec.Check(r)
	known := slices.Clone(found)
	rest, _ := errors.AsType[question.Violations](err)
	for _, v := range rest {
		if !slices.ContainsFunc(known, func(x question.Violation) bool { return x.Path == v.Path }) {
			found = append(found, v)
		}
	}
	return out, found.Err()
}

// Answers returns the answers so far to the questions that are shown, with their notes: those
// that are confirmed, or on a sheet all.
func (s *Set) Answers() []question.Answer {
	var out []question.Answer
	for _, q := range s.Shown() {
		a := question.Answer{QuestionID: q.ID, By: question.ByUser, Note: q.Note}
		if s.options.Sheet || q.settled() {
			a = q.Answer()
		}
		if !a.Empty() || a.Note != "" || a.Delegated {
			out = append(out, a)
		}
	}
	return out
}

// Draft returns what is worth keeping of what the user chose and typed, confirmed or not, also
// of questions that are not shown, as Options.Draft takes it back. Questions that are as they
// were at first are left out, and so are secrets. It is no reply: it may be partial, and hold an
// option and beside it words of Other that do not count.
func (s *Set) Draft() question.Reply {
	r := question.Reply{Note: s.note, Reason: s.reason}
	for _, q := range s.questions {
		a := q.draft()
		if !same(a, q.initial) {
			r.Answers = append(r.Answers, a)
		}
	}
	return r
}

// Refuse takes the faults of a reply that could not be committed. The first question with one
// is current. It returns the faults of that question, and those of no question that is shown.
func (s *Set) Refuse(found question.Violations) (current, rest question.Violations) {
	shown := s.Shown()
	first := len(shown)
	for _, v := range found {
		i := slices.IndexFunc(shown, func(q *Question) bool { return v.Path == "answers."+q.ID })
		if i < 0 {
			rest = append(rest, v)
			continue
		}
		if i < first {
			first, current = i, nil
		}
		if i == first {
			current = append(current, v)
		}
	}
	if current != nil {
		s.setCurrent(shown[first])
	}
	return current, rest
}
