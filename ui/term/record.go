package term

import (
	"cmp"
	"slices"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// Mark is the mark of an option, chosen or not, where one or several can be chosen.
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

// DrawRecord shows the questions and answers of a record, with descriptions if full.
func DrawRecord(s *Styles, rec desk.Record, full bool, width int) []string {
	var lines []string
	past := view.Local(rec)
	for _, x := range past.Asked() {
		lines = append(lines, drawResponse(s, x, full, width)...)
		switch {
		case x.State == question.StateDelegated:
			lines = append(lines, "  "+words.T(words.LeftToAgent))
		case past.State != desk.Answered || x.Answer != nil:
		default:
			lines = append(lines, "  "+s.Muted.Render(LeftOpen()))
		}
		lines = append(lines, "")
	}
	if note := past.Note(); note != "" {
		lines = append(lines, HangingIndent(s.Muted.Render(words.T("Note: ")), Safe(note), width)...)
		lines = append(lines, "")
	}
	return lines
}

// LeftOpen is shown in place of an answer that was not given.
func LeftOpen() string { return words.T("(skipped)") }

func drawResponse(s *Styles, x question.Response, full bool, width int) []string {
	lines := Text(s.Strong, Safe(x.Question.Text), width)
	if full && x.Description != "" {
		lines = append(lines, Text(s.Muted, Safe(x.Description), width)...)
	}
	answer := cmp.Or(x.Answer, new(question.Answer))
	for _, o := range x.Options {
		chosen, style := slices.Contains(answer.Selected, o.ID), s.Plain
		if chosen {
			style = s.Cursor
		}
		label := HangingIndent("  "+Mark(x.Several(), chosen)+" ", Line(o.Label, 500), width)
		lines = append(lines, RenderLines(style, label)...)
		if full && o.Description != "" {
			lines = append(lines, RenderLines(s.Muted, HangingIndent("      ", Safe(o.Description), width))...)
		}
	}
	if answer.Custom != "" {
		lines = append(lines, HangingIndent("  "+s.Muted.Render("→ "), Safe(answer.Custom), width)...)
	}
	for _, f := range answer.Files {
		lines = append(lines, HangingIndent("  "+s.Muted.Render("→ "), Line(f.String(), 500), width)...)
	}
	if answer.By == question.ByTimeout {
		lines = append(lines, "  "+s.Muted.Render(words.T("(taken by the timeout)")))
	}
	if x.Note != "" {
		lines = append(lines, HangingIndent("  "+s.Muted.Render(words.T("Note: ")), Safe(x.Note), width)...)
	}
	return lines
}
