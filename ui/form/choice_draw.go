package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
)

// The most characters of a label and a description shown (A5): longer ones are
// kept whole in the record and can be read with Tab.
const (
	maxLabel       = 50
	maxDescription = 200
)

func (c *choice) draw(l *look, width, rows int) sheet {
	var s, focus sheet
	if c.filtering || c.filter != "" {
		s = c.drawFilter(l, width)
		focus.cursor = s.cursor
	}
	for _, i := range c.visible() {
		r := c.drawRow(l, i, width, rows-s.pinned)
		s.add(r)
		if i != c.cursor {
			continue
		}
		focus.top, focus.bottom = s.top, s.bottom
		if r.cursor != nil {
			focus.cursor = s.cursor
		}
	}
	s.top, s.bottom, s.cursor = focus.top, focus.bottom, focus.cursor
	return s
}

func (c *choice) drawFilter(l *look, width int) sheet {
	line := ansi.TruncateLeft("/ "+c.filter, max(0, ansi.StringWidth(c.filter)+3-width), "")
	s := sheet{pinned: 1}
	if c.filtering {
		s.cursor = tea.NewCursor(ansi.StringWidth(line), 0)
		s.cursor.Shape = tea.CursorBar
	}
	if c.filter != "" && !c.matches() {
		line += "   no match"
	}
	s.lines = []string{l.cursor.Render(cut(line, width))}
	return s
}

func (c *choice) matches() bool {
	for _, r := range c.rows {
		if !r.other && c.passes(r) {
			return true
		}
	}
	return false
}

// drawRow draws one row: cursor, shortcut, mark and label on the first line,
// the description or the text of Other below, all with a hanging indent.
func (c *choice) drawRow(l *look, i, width, rows int) sheet {
	r := c.rows[i]
	lead := "  "
	style := l.plain
	if i == c.cursor {
		lead, style = "› ", l.cursor
	}
	lead += pad(r.key, 1) + " " + mark(c.ask.Several(), r.picked) + " "
	indent := strings.Repeat(" ", len([]rune(lead)))

	var s sheet
	for n, line := range wrap(question.Shorten(question.Line(r.option.Label), maxLabel), width-len(indent)) {
		if n > 0 {
			lead = indent
		}
		s.lines = append(s.lines, style.Render(lead+line))
	}
	below := c.below(l, r, width-len(indent), rows-len(s.lines))
	for _, line := range below.lines {
		s.lines = append(s.lines, indent+line)
	}
	if below.cursor != nil {
		s.cursor = shift(below.cursor, len(indent), len(s.lines)-len(below.lines))
	}
	s.bottom = len(s.lines) - 1
	return s
}

// mark shows whether an option is picked, and whether one or several can be.
func mark(several, picked bool) string {
	switch {
	case several && picked:
		return "[x]"
	case several:
		return "[ ]"
	case picked:
		return "(•)"
	}
	return "( )"
}

// below is what stands under a label.
func (c *choice) below(l *look, r row, width, rows int) sheet {
	text := c.other.text()
	switch {
	case r.other && c.writing:
		return c.other.draw(l, width, max(rows, 1))
	case r.other && text != "":
		return sheet{lines: each(l.plain, wrap("“"+question.Block(text)+"”", width))}
	case r.option.Description == "":
		return sheet{}
	}
	d := question.Shorten(question.Line(r.option.Description), maxDescription)
	return sheet{lines: each(l.muted, wrap(d, width))}
}

// full is everything of the choice, for reading.
func (c *choice) full() string {
	var b strings.Builder
	for _, r := range c.rows {
		b.WriteString("\n\n" + strings.TrimSpace(r.key+" "+question.Line(r.option.Label)))
		if r.option.Description != "" {
			b.WriteString("\n" + question.Block(r.option.Description))
		}
	}
	return b.String()
}

// cutShort reports whether a text is shown shortened.
func (c *choice) cutShort() bool {
	for _, r := range c.rows {
		if question.Count(question.Line(r.option.Label)) > maxLabel ||
			question.Count(question.Line(r.option.Description)) > maxDescription {
			return true
		}
	}
	return false
}
