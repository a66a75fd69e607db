package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/question"
)

// A form's fields are named after the place of their question among all of the
// set, follow-ups included, and options after their place in the question: no
// word of an agent's is a name or a value.
//
//	q3  the chosen options: their places, or other
//	t3  free text
//	p3  "yes": the proposed text is taken
//
// The note and the reason of a dismissal are called so.
const (
	fieldChosen   = "q"
	fieldText     = "t"
	fieldProposal = "p"

	valueOther = "other"
	valueYes   = "yes"
)

func named(field string, place int) string { return field + strconv.Itoa(place) }

// filledIn reads what a human filled into the form of a set. Answers to
// questions that the other answers do not bring up are left out: without a
// script the form sends them too. The error is a question.Violations with what
// only a form can get wrong; the rest is left for question.Set.Check.
func filledIn(set *question.Set, form url.Values) (question.Reply, error) {
	var answers []question.Answer
	var found question.Violations
	for i, q := range set.All() {
		a, why := answerOf(q, i, form)
		if why != "" {
			found = append(found, question.Violation{Path: "answers." + q.ID, Message: why})
		}
		if !a.Empty() {
			answers = append(answers, a)
		}
	}
	shown := set.Shown(answers)
	hidden := func(id string) bool {
		return !slices.ContainsFunc(shown, func(q question.Shown) bool { return q.ID == id })
	}
	answers = slices.DeleteFunc(answers, func(a question.Answer) bool { return hidden(a.QuestionID) })
	found = slices.DeleteFunc(found, func(v question.Violation) bool { return hidden(strings.TrimPrefix(v.Path, "answers.")) })
	return question.Reply{Answers: answers, Note: plainBreaks(form.Get("note"))}, found.Err()
}

// answerOf reads the answer to the question at a place, and why it is none.
func answerOf(q *question.Question, place int, form url.Values) (a question.Answer, why string) {
	a.QuestionID = q.ID
	text := strings.TrimSpace(plainBreaks(form.Get(named(fieldText, place))))
	if !q.Chooses() {
		a.Custom = text
		if form.Get(named(fieldProposal, place)) == valueYes {
			a.Custom = q.Default
		}
		return a, ""
	}
	for _, v := range form[named(fieldChosen, place)] {
		switch n, err := strconv.Atoi(v); {
		case v == "": // left open
		case v == valueOther && text == "":
			why = "write what it is, or choose something else"
		case v == valueOther:
			a.Custom = text
		case err != nil || n < 0 || n >= len(q.Options):
			why = fmt.Sprintf("%q is none of the options", v)
		default:
			a.Selected = append(a.Selected, q.Options[n].ID)
		}
	}
	return a, why
}

// fill returns the form of a set with a reply in it, as filledIn reads it.
func fill(set *question.Set, r question.Reply) url.Values {
	form := url.Values{}
	for i, q := range set.All() {
		a := r.Answer(q.ID)
		if a == nil {
			continue
		}
		for _, id := range a.Selected {
			if n := slices.IndexFunc(q.Options, func(o question.Option) bool { return o.ID == id }); n >= 0 {
				form.Add(named(fieldChosen, i), strconv.Itoa(n))
			}
		}
		if a.Custom == "" {
			continue
		}
		form.Set(named(fieldText, i), a.Custom)
		if q.Chooses() {
			form.Add(named(fieldChosen, i), valueOther)
		}
	}
	if r.Note != "" {
		form.Set("note", r.Note)
	}
	if r.Reason != "" {
		form.Set("reason", r.Reason)
	}
	return form
}

// plainBreaks undoes what browsers do to the line breaks of a form.
func plainBreaks(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
