package dialogue

import (
	"errors"
	"slices"
	"strings"

	"mcp-askuser/question"
)

// Reply returns the reply to commit, in normal form: the answers, or the dismissal or
// discussion that was the last act. The error is a question.Violations with
// everything that is wrong; a step that is not confirmed is one of them. A reply that
// cannot be committed changes nothing here: the next act continues from the answers.
func (d *Dialogue) Reply() (question.Reply, error) {
	var found question.Violations
	r := question.Reply{Dismissed: true, Reason: d.reason}
	switch d.ending {
	case answers:
		r = question.Reply{Note: d.note, Answers: d.Answers()}
		for _, at := range d.visible {
			if s := &d.steps[at]; d.options.Layout != Sheet && s.due() {
				found.AddTranslated("answers."+s.ID, "is not confirmed yet")
			} else if x := s.answer(); s.other && x.Custom == "" && len(x.Files) == 0 {
				found.AddTranslated("answers."+s.ID, "write what it is, or choose something else")
			}
		}
	case discussed:
		r = question.Reply{Discuss: true, Note: strings.TrimSpace(d.note + "\n" + d.reason), Answers: d.Answers()}
	case dismissed:
	}
	out, err := d.rec.Check(r)
	if rest, ok := errors.AsType[question.Violations](err); ok {
		known := slices.Clone(found)
		found = append(found, slices.DeleteFunc(rest, func(v question.Violation) bool {
			return slices.ContainsFunc(known, func(x question.Violation) bool { return x.Path == v.Path })
		})...)
	}
	if d.options.Now != nil && !d.options.Began.IsZero() {
		out.Took = d.options.Now().Sub(d.options.Began)
	}
	return out, found.Err()
}

// Answers returns the answers so far of the steps that are shown, with their notes:
// those that are confirmed, or with layout Sheet all.
func (d *Dialogue) Answers() []question.Answer {
	var out []question.Answer
	for _, at := range d.visible {
		s := &d.steps[at]
		a := question.Answer{QuestionID: s.ID, By: question.ByUser, Note: s.Note}
		if d.options.Layout == Sheet || s.settled() {
			a = s.answer()
		}
		if !a.Empty() || a.Note != "" {
			out = append(out, a)
		}
	}
	return out
}

// Draft returns what is worth keeping of what the user chose and typed, confirmed or
// not, on hidden steps too, as Options.Draft takes it back. Steps that are as they
// were at first are left out, and so are secrets. It is no reply: it may be partial, and hold
// an option and beside it words of Other that do not count.
func (d *Dialogue) Draft() question.Reply {
	r := question.Reply{Note: d.note, Reason: d.reason}
	for i := range d.steps {
		if a := d.steps[i].draft(); !same(a, d.steps[i].initial) {
			r.Answers = append(r.Answers, a)
		}
	}
	return r
}

func sameDraft(a, b question.Reply) bool {
	return a.Note == b.Note && a.Reason == b.Reason && slices.EqualFunc(a.Answers, b.Answers, func(a, b question.Answer) bool {
		return a.QuestionID == b.QuestionID && same(a, b)
	})
}

// Refuse takes what was wrong with a reply that could not be committed. The steps that
// it is about have it as their fault, the first of them is current, and with layout Turns they are
// to be confirmed again. It returns what is about no step that is shown.
func (d *Dialogue) Refuse(found question.Violations) (rest question.Violations) {
	faults := map[int]question.Violations{}
	for _, v := range found {
		i := slices.IndexFunc(d.visible, func(at int) bool { return v.Path == "answers."+d.steps[at].ID })
		if i < 0 {
			rest = append(rest, v)
		} else {
			faults[d.visible[i]] = append(faults[d.visible[i]], v)
		}
	}
	for _, at := range slices.Backward(d.visible) {
		if mine := faults[at]; mine != nil {
			d.at, d.steps[at].Fault, d.steps[at].reopened = at, mine, d.options.Layout == Turns
		}
	}
	return rest
}
