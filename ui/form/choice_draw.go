package form

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

func (c *choice) draw(s *term.Styles, width, rows int) term.Block {
	var b term.Block
	step := c.page.step()
	if c.filtering || step.Filter != "" {
		b = c.drawFilter(s, step, width)
	}
	c.tallest = 0
	seen := c.cursor // the row that is always in view
	if seen == nowhere {
		seen = c.home(step)
	}
	for _, at := range c.visible(step) {
		r := c.drawRow(s, step, at, width, rows-b.Pinned)
		c.tallest = max(c.tallest, len(r.Lines))
		if at != seen {
			b.Lines = append(b.Lines, r.Lines...)
			continue
		}
		typed := b.Cursor // of the filter
		b.Add(r)
		b.Cursor = cmp.Or(b.Cursor, typed)
	}
	return b
}

func (c *choice) drawFilter(s *term.Styles, step *dialogue.Step, width int) term.Block {
	line := ansi.TruncateLeft("/ "+step.Filter, max(0, ansi.StringWidth(step.Filter)+3-width), "")
	b := term.Block{Pinned: 1}
	if c.filtering {
		b.Cursor = tea.NewCursor(ansi.StringWidth(line), 0)
		b.Cursor.Shape = tea.CursorBar
	}
	if step.NoMatch {
		line += "   " + words.T("no match")
	}
	b.Lines = []string{s.Cursor.Render(term.Cut(line, width))}
	return b
}

// drawRow draws one row: cursor, shortcut, mark and label on the first line,
// the description or the words of Other below, all with a hanging indent.
func (c *choice) drawRow(s *term.Styles, step *dialogue.Step, at, width, rows int) term.Block {
	r, mark, other, below := c.talk, term.Pad("", ansi.StringWidth(term.Mark(step.Several(), false))), false, term.Block{}
	if at != talk {
		of := step.Rows[at]
		r, mark, other = c.rows[at], term.Mark(step.Several(), of.Marked), of.Kind == dialogue.Other
		if of.Default && !step.Several() {
			r.label = words.T("%s (default)", r.label)
		}
	}
	lead, style := s.Row(at == c.cursor)
	lead += term.Pad(r.key, 1) + " " + mark + " "
	indent := ansi.StringWidth(lead)
	b := term.Block{Lines: term.RenderLines(style, term.Hang(lead, r.label, width))}
	switch text := c.other.Text(); {
	case other && c.other.Focused():
		below = c.other.Draw(s, width-indent, rows-len(b.Lines))
	case other && text != "":
		below.Lines = term.Text(s.Plain, "“"+question.Block(text)+"”", width-indent)
	case r.about != "":
		below.Lines = term.Text(s.Muted, r.about, width-indent)
	}
	b.Cursor = term.Shift(below.Cursor, indent, len(b.Lines))
	for _, line := range below.Lines {
		b.Lines = append(b.Lines, strings.Repeat(" ", indent)+line)
	}
	b.Bottom = len(b.Lines) - 1
	return b
}

// full is everything of the choice, for reading.
func (c *choice) full(s *dialogue.Step) string {
	var b strings.Builder
	add := func(key string, o *question.Option) {
		b.WriteString("\n\n" + strings.TrimSpace(key+" "+question.Line(o.Label)))
		if o.Description != "" {
			b.WriteString("\n" + o.Description)
		}
		if o.Preview != "" {
			b.WriteString("\n\n" + strings.TrimRight(o.Preview, "\n"))
		}
	}
	for i, r := range c.rows {
		o := s.Rows[i].Option
		if s.Rows[i].Kind == dialogue.Other {
			other := words.Local.Other(s.Question)
			o = &other
		}
		add(r.key, o)
	}
	add(c.talk.key, &question.Option{Label: words.T(words.DiscussFirst)})
	return b.String()
}

// cutShort reports whether a text is shown shortened.
func (c *choice) cutShort() bool {
	return slices.ContainsFunc(c.rows, func(r row) bool { return strings.HasSuffix(r.label, "…") || strings.HasSuffix(r.about, "…") })
}

// preview returns that of the option under the cursor. It is nil only when no
// option has one, so that the page keeps its shape as the cursor moves.
func (c *choice) preview() *preview {
	switch {
	case !c.previews:
		return nil
	case c.cursor == nowhere:
		return &preview{lines: []string{}}
	case c.cursor == talk:
		return &preview{}
	}
	r := &c.rows[c.cursor]
	if r.preview == nil {
		text := ""
		if of := c.page.step().Rows[c.cursor]; of.Offered() {
			text = of.Option.Preview
		}
		r.preview = newPreview(text)
	}
	return r.preview
}
