package form

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The most characters of a label and a description shown: longer ones are kept
// whole in the record and can be read with Tab.
const (
	maxLabel       = 50
	maxDescription = 200
)

func (p *page) drawList(s *term.Styles, step *dialogue.Step, width, lines int) term.Block {
	var b term.Block
	if p.list.filtering || step.Filter != "" {
		b = p.drawFilter(s, step, width)
	}
	p.list.tallest = 0
	inView := p.list.cursor
	if inView == nowhere {
		inView = home(step)
	}
	for at, r := range rows(step) {
		if r.Hidden {
			continue
		}
		drawn := p.drawRow(s, step, r, at, width, lines-b.Pinned)
		p.list.tallest = max(p.list.tallest, len(drawn.Lines))
		if at != inView {
			b.Lines = append(b.Lines, drawn.Lines...)
			continue
		}
		typed := b.Cursor // of the filter
		b.Add(drawn)
		b.Cursor = cmp.Or(b.Cursor, typed)
	}
	return b
}

func (p *page) drawFilter(s *term.Styles, step *dialogue.Step, width int) term.Block {
	line := ansi.TruncateLeft("/ "+step.Filter, max(0, ansi.StringWidth(step.Filter)+3-width), "")
	b := term.Block{Pinned: 1}
	if p.list.filtering {
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
func (p *page) drawRow(s *term.Styles, step *dialogue.Step, r dialogue.Row, at, width, lines int) term.Block {
	mark, label, description := term.Mark(step.Several(), r.Marked), p.list.texts[at].label, p.list.texts[at].description
	if r.Kind == talk {
		mark = strings.Repeat(" ", ansi.StringWidth(mark))
	}
	if r.Default && !step.Several() {
		label = words.T("%s (default)", label)
	}
	lead, style := s.Row(at == p.list.cursor)
	lead += term.Pad(p.form.shortcut(r), len(strconv.Itoa(len(step.Options)))) + " " + mark + " "
	indent := ansi.StringWidth(lead)
	b := term.Block{Lines: term.RenderLines(style, term.Hang(lead, label, width))}
	below, other := term.Block{}, r.Kind == dialogue.Other
	switch {
	case other && p.entry.Focused():
		below = p.entry.Draw(s, width-indent, lines-len(b.Lines))
	case other && p.entry.Text() != "":
		below.Lines = term.Text(s.Plain, "“"+question.Block(p.entry.Text())+"”", width-indent)
	case description != "":
		below.Lines = term.Text(s.Muted, description, width-indent)
	}
	b.Cursor = term.Shift(below.Cursor, indent, len(b.Lines))
	for _, line := range below.Lines {
		b.Lines = append(b.Lines, strings.Repeat(" ", indent)+line)
	}
	b.Bottom = len(b.Lines) - 1
	return b
}

// everything is all of the page as text, for reading.
func (p *page) everything() string {
	s := p.step()
	var b strings.Builder
	add := func(before, text string) {
		if text != "" {
			b.WriteString(before + text)
		}
	}
	add("", s.Text)
	add("\n\n", s.Description)
	if !s.Chooses() {
		return b.String()
	}
	for _, r := range rows(s) {
		add("\n\n", strings.TrimSpace(p.form.shortcut(r)+" "+question.Line(r.Option.Label)))
		add("\n", r.Option.Description)
		add("\n\n", strings.TrimRight(r.Option.Preview, "\n"))
	}
	return b.String()
}

// cutShort reports whether a label or a description is shown shortened.
func (l *list) cutShort() bool {
	return slices.ContainsFunc(l.texts, func(t rowTexts) bool {
		return strings.HasSuffix(t.label, "…") || strings.HasSuffix(t.description, "…")
	})
}

// drawPreview shows the preview of the row with the cursor: a heading that says how much
// there is, then the text, its lines cut, never wrapped. Cut says that one was. Rows
// without a preview have its heading, so that the page keeps its shape.
func (p *page) drawPreview(s *term.Styles, width, rows int) (out []string, cut bool) {
	var text rowTexts
	if p.list.cursor != nowhere {
		text = p.list.texts[p.list.cursor]
	}
	lines := text.preview
	if rows == 0 { // a remark and a notice have left one line
		return nil, lines != nil
	}
	rows-- // the heading
	scroll := &p.list.scroll
	scroll.Limit(len(lines)-rows, rows)
	from, to := scroll.Y, min(scroll.Y+rows, len(lines))
	heading := words.T("preview")
	switch {
	case lines == nil && p.list.cursor != nowhere:
		heading = words.T("no preview")
	case len(lines) > rows:
		heading = words.T("preview %[1]d–%[2]d of %[3]d", from+1, to, len(lines))
	}
	out = []string{s.Rule(heading, width)}
	for _, line := range lines[from:to] {
		out = append(out, term.Cut(line, width))
	}
	return out, text.widest > width
}
