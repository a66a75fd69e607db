package question

import (
	"maps"
	"slices"
	"strings"
)

// Check validates a reply against the set and returns it in normal form:
// answers in the order in which the questions are shown, selected options in
// the order of the options, texts trimmed, answers with neither words nor note
// dropped, unless the question was left to the agent. Only questions that were
// shown may be answered, only with their own options and within [MaxText];
// required ones must be, unless the user wants to discuss them first. The error
// is a [Violations].
func (s *Set) Check(r Reply) (Reply, error) {
	out := Reply{Dismissed: r.Dismissed, Discuss: r.Discuss}
	out.Reason, out.Note = strings.TrimSpace(r.Reason), strings.TrimSpace(r.Note)
	var found Violations
	found.limit("reason", Count(out.Reason), MaxText)
	found.limit("note", Count(out.Note), MaxText)
	if r.Dismissed {
		if len(r.Answers) > 0 || out.Note != "" || r.Discuss {
			found.Add("answers", "a dismissal carries no answers and no note")
		}
		return out, found.Err()
	}
	if out.Reason != "" {
		found.Add("reason", "goes with a dismissal only")
	}

	answers := map[string]Answer{}
	for _, a := range r.Answers {
		q := s.Find(a.QuestionID)
		switch _, twice := answers[a.QuestionID]; {
		case q == nil:
			found.Add("answers."+a.QuestionID, "no such question")
		case twice:
			found.Add("answers."+a.QuestionID, "answered twice")
		default:
			answers[q.ID] = q.Normal(a)
		}
	}
	for _, q := range s.Shown(slices.Collect(maps.Values(answers))) {
		a := answers[q.ID]
		delete(answers, q.ID)
		if a.Empty() && q.Required && !r.Discuss && !a.Delegated {
			found.AddTranslated("answers."+q.ID, "an answer is required")
		}
		if !a.Empty() || a.Note != "" || a.Delegated {
			q.faults(&found, a)
			out.Answers = append(out.Answers, a)
		}
	}
	for _, a := range r.Answers {
		if left := answers[a.QuestionID]; !left.Empty() {
			found.AddTranslated("answers."+a.QuestionID, "this question was not shown")
		}
	}
	return out, found.Err()
}
