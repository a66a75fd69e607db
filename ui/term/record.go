package term

import (
	"slices"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// Mark shows whether an option is chosen, and whether one or several can be.
func Mark(several, chosen bool) string {
	switch {
	case several && chosen:
		return "[x]"
	case several:
		return "[ ]"
	case chosen:
		return "(•)"
	}
	return "( )"
}

// DrawRecord shows what a record asks and what was answered, with descriptions
// if it is to be told in full.
func DrawRecord(s *Styles, rec desk.Record, full bool, width int) []string {
	var lines []string
	past := view.Local(rec)
	for _, x := range past.Asked() {
		lines = append(lines, drawResponse(s, x, full, width)...)
		if past.State == desk.Answered && x.Answer == nil {
			lines = append(lines, "  "+s.Muted.Render(LeftOpen()))
		}
		lines = append(lines, "")
	}
	if note := past.Note(); note != "" {
		lines = append(lines, Hang(s.Muted.Render(words.T("Note: ")), Tame(note), width)...)
		lines = append(lines, "")
	}
	return lines
}

// LeftOpen stands where an answer would, were there one.
func LeftOpen() string { return words.T("(left open)") }

func drawResponse(s *Styles, x question.Response, full bool, width int) []string {
	lines := Text(s.Strong, Tame(x.Question.Text), width)
	if full && x.Description != "" {
		lines = append(lines, Text(s.Muted, Tame(x.Description), width)...)
	}
	var answer question.Answer
	if x.Answer != nil {
		answer = *x.Answer
	}
	for _, o := range x.Options {
		chosen, style := slices.Contains(answer.Selected, o.ID), s.Plain
		if chosen {
			style = s.Cursor
		}
		lines = append(lines, Each(style, Hang("  "+Mark(x.Several(), chosen)+" ", Line(o.Label, 500), width))...)
		if full && o.Description != "" {
			lines = append(lines, Each(s.Muted, Hang("      ", Tame(o.Description), width))...)
		}
	}
	if answer.Custom != "" {
		lines = append(lines, Hang("  "+s.Muted.Render("→ "), Tame(answer.Custom), width)...)
	}
	if answer.By == question.ByTimeout {
		lines = append(lines, "  "+s.Muted.Render(words.T("(taken by the timeout)")))
	}
	return lines
}

// EarlierRounds returns those of the records of a session that came before rec,
// the latest first.
func EarlierRounds(rec desk.Record, session []desk.Record) []desk.Record {
	out := slices.DeleteFunc(slices.Clone(session), func(r desk.Record) bool { return r.ID == rec.ID || r.Round >= rec.Round })
	slices.SortStableFunc(out, func(a, b desk.Record) int { return b.Round - a.Round })
	return out
}
