package mirror

import (
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
)

// byProgram reports whether a reply, or an answer in it, is no human's own.
func byProgram(rec desk.Record) bool {
	r := rec.Reply()
	return r.By == question.ByProgram || slices.ContainsFunc(r.Answers, func(a question.Answer) bool { return a.By == question.ByProgram })
}

// refusal is what the model is told of a reply that lets it not go on as it
// meant to: a dismissal, the wish to talk about it first, a permission that was
// not given.
func refusal(rec desk.Record) string {
	r := rec.Reply()
	reason := texts.Quoted(r.Reason)
	switch {
	case r.Discuss:
		text := "discuss"
		if r.By == question.ByProgram {
			text = "discuss_program"
		}
		said, notes := inWords(rec)
		return texts.Fill(text, map[string]string{"who": "a program", "answers": said, "note": texts.Quoted(r.Note), "notes": notes})
	case rec.Asker.Permission():
		name := "denied"
		if chosen(rec) == question.YesID { // they said yes, and something beside it
			name = "condition"
		}
		_, notes := inWords(rec)
		return texts.Fill(name, map[string]string{"reason": reason, "note": texts.Quoted(r.Note), "notes": notes})
	case byProgram(rec):
		return texts.Fill("dismissed_program", map[string]string{"who": "a program", "reason": reason})
	}
	return texts.Fill("dismissed", map[string]string{"reason": reason})
}

// inWords are the answers of a reply and the notes beside them, each behind its
// question.
func inWords(rec desk.Record) (answers, notes string) {
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
