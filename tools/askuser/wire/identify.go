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

func freshID(id string, taken func(string) bool) string {
	for n, try := 2, id; ; n++ {
		if !taken(try) {
			return try
		}
		try = id + "-" + strconv.Itoa(n)
	}
}

// slug makes an option id from its label: letters and digits in lower case,
// single hyphens between them.
func slug(label string, place int) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(label) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "option-" + strconv.Itoa(place+1)
	}
	return question.Cut(b.String(), 40)
}
