package wire

import (
	"strconv"
	"strings"
	"unicode"

	"mcp-askuser/question"
)

// identify gives every question that has no id one by its place: q1, and
// q1.oauth2.1 for the first follow-up of its option oauth2.
func identify(qs []question.Question) {
	taken := map[string]bool{}
	set := question.Set{Questions: qs}
	for _, q := range set.All() {
		taken[q.ID] = true
	}
	var walk func(qs []question.Question, prefix string)
	walk = func(qs []question.Question, prefix string) {
		for i := range qs {
			q := &qs[i]
			place := prefix + strconv.Itoa(i+1)
			if q.ID == "" {
				q.ID = freshID(place, func(id string) bool { return taken[id] })
				taken[q.ID] = true
			}
			if q.Collected != nil {
				q.Collected.QuestionID = q.ID
			}
			for j := range q.Options {
				walk(q.Options[j].FollowUps, place+"."+q.Options[j].ID+".")
			}
		}
	}
	walk(qs, "q")
}

// callerNamed reports whether a question or an option has an id that its caller gave: none
// that its place or its label makes.
func callerNamed(qs []question.Question, prefix string) bool {
	made := func(id, from string) bool { // or numbered by freshID
		return strings.HasPrefix(id+"-", from+"-") && strings.TrimLeft(id[len(from):], "-0123456789") == ""
	}
	for i, q := range qs {
		place := prefix + strconv.Itoa(i+1)
		if !made(q.ID, place) {
			return true
		}
		for j, o := range q.Options {
			if !q.Confirms() && !made(o.ID, slug(o.Label, j)) || callerNamed(o.FollowUps, place+"."+o.ID+".") {
				return true
			}
		}
	}
	return false
}

// freshID returns id, or where it is taken id-2, id-3 and so on.
func freshID(id string, taken func(string) bool) string {
	for n, candidate := 2, id; ; n++ {
		if !taken(candidate) {
			return candidate
		}
		candidate = id + "-" + strconv.Itoa(n)
	}
}

// slug makes an option id from its label: letters and digits in lower case,
// single hyphens between them.
func slug(label string, index int) string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	words := strings.FieldsFunc(strings.ToLower(label), between)
	if len(words) == 0 {
		return "option-" + strconv.Itoa(index+1)
	}
	return question.Cut(strings.Join(words, "-"), 40)
}
