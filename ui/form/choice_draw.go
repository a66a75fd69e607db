package form

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The most characters of a label and a description shown: longer ones are kept
// whole in the record and can be read with Tab.
const (
	maxLabel       = 50
	maxDescription = 200
)

func (c *choice) draw(s *term.Styles, width, rows int) term.Block {
	var b term.Block
	if c.filtering || c.filter != "" {
		b = c.drawFilter(s, width)
	}
	c.tallest = 0
	seen := c.cursor // the row that is always in view
	if seen == nowhere {
		seen = c.home()
	}
	for _, i := range c.visible() {
		r := c.drawRow(s, i, width, rows-b.Pinned)
		c.tallest = max(c.tallest, len(r.Lines))
		if i != seen {
			b.Lines = append(b.Lines, r.Lines...)
			continue
		}
		typed := b.Cursor // of the filter
		b.Add(r)
		b.Cursor = cmp.Or(b.Cursor, typed)
	}
	return b
}

func (c *choice) drawFilter(s *term.Styles, width int) term.Block {
	line := ansi.TruncateLeft("/ "+c.filter, max(0, ansi.StringWidth(c.filter)+3-width), "")
	b := term.Block{Pinned: 1}
	if c.filtering {
		b.Cursor = tea.NewCursor(ansi.StringWidth(line), 0)
		b.Cursor.Shape = tea.CursorBar
	}
	if !slices.ContainsFunc(c.rows, func(r row) bool { return !r.own() && c.passes(r) }) {
		line += "   " + words.T("no match")
	}
	b.Lines = []string{s.Cursor.Render(term.Cut(line, width))}
	return b
}

// drawRow draws one row: cursor, shortcut, mark and label on the first line,
// the description or the text of Other below, all with a hanging indent.
func (c *choice) drawRow(s *term.Styles, i, width, rows int) term.Block {
	r := c.rows[i]
	lead, style := s.Row(i == c.cursor)
	mark := term.Mark(c.ask.Several(), r.picked)
	if r.talk {
		mark = term.Pad("", ansi.StringWidth(mark))
	}
	lead += term.Pad(r.key, 1) + " " + mark + " "
	indent := ansi.StringWidth(lead)
	label := r.label
	if r.preset {
		label = words.T("%s (default)", label)
	}
	b := term.Block{Lines: term.Each(style, term.Hang(lead, label, width))}
	below := c.below(s, r, width-indent, rows-len(b.Lines))
	b.Cursor = term.Shift(below.Cursor, indent, len(b.Lines))
	for _, line := range below.Lines {
		b.Lines = append(b.Lines, strings.Repeat(" ", indent)+line)
	}
	b.Bottom = len(b.Lines) - 1
	return b
}

// below is what stands under a label.
func (c *choice) below(s *term.Styles, r row, width, rows int) term.Block {
	text := c.other.Text()
	switch {
	case r.other && c.other.Focused():
		return c.other.Draw(s, width, rows)
	case r.other && text != "":
		return term.Block{Lines: term.Text(s.Plain, "“"+question.Block(text)+"”", width)}
	case r.about == "":
		return term.Block{}
	}
	return term.Block{Lines: term.Text(s.Muted, r.about, width)}
}

// full is everything of the choice, for reading.
func (c *choice) full() string {
	var b strings.Builder
	for _, r := range c.rows {
		b.WriteString("\n\n" + strings.TrimSpace(r.key+" "+question.Line(r.option.Label)))
		if r.option.Description != "" {
			b.WriteString("\n" + r.option.Description)
		}
		if r.option.Preview != "" {
			b.WriteString("\n\n" + r.option.Preview)
		}
	}
	return b.String()
}

// cutShort reports whether a text is shown shortened.
func (c *choice) cutShort() bool {
	return slices.ContainsFunc(c.rows, func(r row) bool { return strings.HasSuffix(r.label, "…") || strings.HasSuffix(r.about, "…") })
}
