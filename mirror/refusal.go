package mirror

import (
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/ui/words"
)

// refusal is the message for the model about a reply that stops what it was about to
// do: a dismissal, the wish to talk about it first, a permission that was
// not given.
func refusal(rec desk.Record) string {
	r := rec.Reply()
	answers, notes := quoteAnswers(rec)
	values := map[string]string{"who": words.Program(rec.Outcome), "answers": answers, "reason": texts.Quoted(r.Reason), "note": texts.Quoted(r.Note), "notes": notes}
	switch {
	case r.Discuss:
		return texts.Reply("discuss", rec.Outcome.FromProgram(), values)
	case !rec.Asker.Permission():
		return texts.Reply("dismissed", rec.Outcome.FromProgram(), values)
	case chosen(rec) == question.YesID: // they said yes, and something beside it
		return texts.Fill("condition", values)
	}
	return texts.Fill("denied", values)
}

// quoteAnswers are the answers of a reply and the notes beside them, each behind its
// question.
func quoteAnswers(rec desk.Record) (answers, notes string) {
	var said, beside []string
	for _, x := range rec.Asked() {
		if x.Answer != nil {
			said = append(said, x.Pair())
		}
		if x.Note != "" {
			beside = append(beside, texts.Quoted(x.Note))
		}
	}
	return strings.Join(said, separator), strings.Join(beside, separator)
}
