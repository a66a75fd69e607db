package mirror

import (
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/ui/words"
)

// refusal returns the message for the model about a reply that stops the agent: a
// dismissal, the wish to talk first, a refused permission.
func refusal(rec desk.Record) string { return question.Readable(refusalText(rec)) }

func refusalText(rec desk.Record) string {
	r := rec.Reply()
	answers, notes := quoteAnswers(rec)
	values := map[string]string{
		"answers": answers, "reason": texts.Quoted(r.Reason), "note": texts.Quoted(r.Note), "notes": notes,
	}
	switch {
	case r.Discuss:
		return texts.Fill("discuss", values)
	case !rec.Asker.Permission():
		return texts.Fill("dismissed", values)
	case chosen(rec) == question.YesID: // with a note
		return texts.Fill("condition", values)
	case rec.Questions[0].Text == words.AllowPlan:
		return texts.Fill("replan", values)
	}
	return texts.Fill("denied", values)
}

// quoteAnswers returns the answers of a reply, each with its question, and the notes.
func quoteAnswers(rec desk.Record) (answers, notes string) {
	var pairs, quoted []string
	for _, x := range rec.Asked() {
		if x.Answer != nil {
			pairs = append(pairs, x.Pair())
		}
		if x.Note != "" {
			quoted = append(quoted, texts.Quoted(x.Note))
		}
	}
	return strings.Join(pairs, separator), strings.Join(quoted, separator)
}
