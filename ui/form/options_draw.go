package form

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The most characters of a label and a description shown: longer ones are kept whole in the
// record and can be read with Tab.
const (
	maxLabel       = 50
	maxDescription = 200
)

func (f *Form) drawOptions(q *answer.Question, width, lines int) (b term.Block) {
	s := f.window.Styles
	visible, none := f.visible(q)
	switch {
	case f.field == filtering:
		b = f.entry.Draw(s, width, 1)
	case f.filter != "":
		b.Lines = []string{term.Cut("/"+f.filter, width)}
	}
	b.Pinned = len(b.Lines)
	if none {
		b.Lines = append(b.Lines, s.Muted.Render(term.Cut(words.T("no match"), width)))
	}
	var rows []row
	for _, at := range visible {
		rows = append(rows, f.drawOption(q, at, width-term.SelectorWide, lines-b.Pinned))
	}
	typed := b.Cursor // of the filter
	b.Add(f.list.draw(rows, f.at, width, !q.Skipped && !q.Delegated))
	if typed != nil {
		b.Cursor = typed
	}
	return b
}

// drawOption draws a row: its key, its mark and its label on the first line, the description
// or the words of Other below, all with a hanging indent.
func (f *Form) drawOption(q *answer.Question, at, width, lines int) row {
	s := f.window.Styles
	r, style := q.Choices()[at], s.Plain
	if at == f.at && !q.Skipped && !q.Delegated {
		style = s.Cursor
	}
	o := optionOf(q, r)
	label := term.Line(o.Label, maxLabel)
	if r.Default && !q.Several() {
		label = words.T("%s (default)", label)
	}
	lead := term.Pad(r.Key(), len(strconv.Itoa(len(q.Options)))) + " " + term.Mark(q.Several(), r.Marked) + " "
	indent := ansi.StringWidth(lead)
	below, other := term.Block{}, r.Kind == answer.Other
	out := row{number: at, lines: term.RenderLines(style, term.HangingIndent(lead, label, width))}
	switch {
	case other && f.field == answering:
		below = f.entry.Draw(s, width-indent, lines-len(out.lines))
	case other && strings.TrimSpace(q.Typed()) != "":
		below.Lines = term.Text(s.Plain, "“"+term.Safe(strings.TrimSpace(q.Typed()))+"”", width-indent)
	case o.Description != "":
		below.Lines = term.Text(s.Muted, term.Line(o.Description, maxDescription), width-indent)
	}
	out.cursor = term.Shift(below.Cursor, indent, len(out.lines))
	for _, line := range below.Lines {
		out.lines = append(out.lines, strings.Repeat(" ", indent)+line)
	}
	return out
}

// optionOf returns the option of a row; that of Other has our words where the asker has none.
func optionOf(q *answer.Question, r answer.Choice) question.Option {
	if r.Kind == answer.Other {
		return words.Local.Other(q.Question)
	}
	return *r.Option
}

// shortens reports whether a label or a description is shown shortened.
func shortens(s *answer.Question) bool {
	short := func(text string, n int) bool { return strings.HasSuffix(term.Line(text, n), "…") }
	return slices.ContainsFunc(s.Options, func(o question.Option) bool {
		return short(o.Label, maxLabel) || short(o.Description, maxDescription)
	})
}
