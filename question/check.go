package question

import (
	"cmp"
	"slices"
	"strings"
)

// Check validates a reply against the set and returns it in normal form:
// answers in the order in which the questions are shown, selected options in
// the order of the options, texts trimmed, answers with neither words nor note
// dropped. Only questions that were shown may be answered, only with their own
// options and within [MaxText]; required ones must be, unless the human wants to
// discuss them first. The error is a [Violations].
func (s *Set) Check(r Reply) (Reply, error) {
	out := Reply{Dismissed: r.Dismissed, Discuss: r.Discuss, Reason: strings.TrimSpace(r.Reason), Note: strings.TrimSpace(r.Note)}
	var found Violations
	for _, t := range []struct{ path, text string }{{"reason", out.Reason}, {"note", out.Note}} {
		if n := Count(t.text); n > MaxText {
			found.Add(t.path, tooLong, MaxText, n)
		}
	}
	if r.Dismissed {
		if len(r.Answers) > 0 || out.Note != "" || r.Discuss {
			found.Add("answers", "a dismissal carries no answers and no note")
		}
		return out, found.Err()
	}
	if out.Reason != "" {
		found.Add("reason", "goes with a dismissal only")
	}

	given := map[string]*Answer{}
	for _, a := range r.Answers {
		switch _, twice := given[a.QuestionID]; {
		case s.Find(a.QuestionID) == nil:
			found.Add("answers."+a.QuestionID, "no such question")
		case twice:
			found.Add("answers."+a.QuestionID, "answered twice")
		default:
			given[a.QuestionID] = s.Find(a.QuestionID).normal(a)
		}
	}
	var normal []Answer
	for _, a := range given {
		normal = append(normal, *a)
	}
	for _, q := range s.Shown(normal) {
		a := given[q.ID]
		delete(given, q.ID)
		if a == nil || a.Empty() {
			if q.Required && !r.Discuss {
				found.Add("answers."+q.ID, needed)
			}
			if a == nil || a.Note == "" {
				continue
			}
		}
		q.faults(&found, a)
		out.Answers = append(out.Answers, *a)
	}
	for _, a := range r.Answers {
		if left, ok := given[a.QuestionID]; ok && !left.Empty() {
			found.Add("answers."+a.QuestionID, notShown)
		}
	}
	return out, found.Err()
}

// normal returns a in normal form for q: trimmed, without doubles, in the
// order of the options. Unknown options stay, last, for faults to name.
func (q *Question) normal(a Answer) *Answer {
	a.By = cmp.Or(a.By, ByUser)
	a.Custom, a.Note = strings.TrimSpace(a.Custom), strings.TrimSpace(a.Note)
	place := func(id string) int {
		if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == id }); i >= 0 {
			return i
		}
		return len(q.Options)
	}
	a.Selected = slices.Clone(a.Selected)
	slices.SortStableFunc(a.Selected, func(x, y string) int { return place(x) - place(y) })
	a.Selected = slices.Compact(a.Selected)
	return &a
}

// Takes reports whether a is an answer that q takes.
func (q *Question) Takes(a Answer) bool {
	var found Violations
	normal := q.normal(a)
	q.faults(&found, normal)
	return !normal.Empty() && found == nil
}

// faults adds what is wrong with a as an answer to q.
func (q *Question) faults(found *Violations, a *Answer) {
	path, options := "answers."+q.ID, strings.Join(q.optionIDs(), ", ")
	for _, id := range a.Selected {
		if q.Option(id) == nil {
			found.Add(path, noSuch, id, options)
		}
	}
	chosen := len(a.Selected)
	if a.Custom != "" {
		chosen++
		if !q.TakesText() {
			found.Add(path, noText, options)
		}
	}
	if chosen > 1 && !q.Several() {
		found.Add(path, oneChoice, chosen)
	}
	for _, t := range []struct{ fault, text string }{{tooLong, a.Custom}, {noteTooLong, a.Note}} {
		if n := Count(t.text); n > MaxText {
			found.Add(path, t.fault, MaxText, n)
		}
	}
}

func (q *Question) optionIDs() []string {
	ids := make([]string, len(q.Options))
	for i := range q.Options {
		ids[i] = q.Options[i].ID
	}
	return ids
}
