package form

import (
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
)

// title is the page's question as lines of width cells.
func (p *page) title(l *look, width int) []string {
	if p.ask == nil {
		return nil
	}
	lines := each(l.question, wrap(question.Block(p.ask.Text), width))
	if p.ask.Description != "" {
		lines = append(lines, each(l.muted, wrap(question.Block(p.ask.Description), width))...)
	}
	if !p.ask.Required {
		lines = append(lines, l.muted.Render("(optional)"))
	}
	return lines
}

// everything is all of the page as text, for reading.
func (p *page) everything() string {
	all := question.Block(p.ask.Text)
	if p.ask.Description != "" {
		all += "\n\n" + question.Block(p.ask.Description)
	}
	if c := p.choice(); c != nil {
		all += c.full()
	}
	return all
}

// wideEnough is the least width, in cells, at which a preview stands beside
// the options instead of below them.
const wideEnough = 84

// draw lays the page out in at most rows lines. It reports whether something
// was left out that reading would show.
func (p *page) draw(l *look, width, rows int) (s sheet, more bool) {
	if p.read != nil {
		return p.read.draw(l, width, rows), false
	}
	var pre *preview
	if c := p.choice(); c != nil {
		pre = c.preview()
	}
	switch {
	case pre == nil:
		return p.column(l, width, rows)
	case width >= wideEnough:
		left := max(40, width*2/5)
		s, more = p.column(l, left, rows)
		pane := pre.draw(l, width-left-3, rows)
		return beside(l, s, pane, left), more
	}
	low := max(rows/3, min(3, rows/2))
	pane := pre.draw(l, width, low)
	s, more = p.column(l, width, rows-len(pane))
	s.lines = append(s.lines, pane...)
	return s, more
}

// column lays out question and body, one above the other. When they do not
// fit, the body scrolls and the question shows its beginning.
func (p *page) column(l *look, width, rows int) (s sheet, more bool) {
	head := p.title(l, width)
	room := max(rows-len(head)-1, rows*3/5, 1) // what the body may claim
	b := p.body.draw(l, width, room)
	left := max(rows-min(len(b.lines), room), 0)
	switch {
	case len(head) > left:
		head, more = opening(head, left, width), true
	case len(head) > 0 && len(head)+len(b.lines) < rows:
		head = append(head, "")
	}
	room = rows - len(head)
	if c := p.choice(); c != nil {
		more = more || c.cutShort() || b.bottom-b.top >= room-b.pinned
	}
	s.lines = head
	s.add(b.window(room, width))
	return s, more
}

// opening cuts lines to the first n, and says that they go on.
func opening(lines []string, n, width int) []string {
	if len(lines) <= n {
		return lines
	}
	if n > 0 {
		lines[n-1] = ansi.Truncate(lines[n-1], width-2, "") + " …"
	}
	return lines[:n]
}

// beside puts a pane to the right of s, whose lines are left cells wide, the
// marks of a window in one more.
func beside(l *look, s sheet, pane []string, left int) sheet {
	rule := l.border.Render("│") + " "
	for i := range max(len(s.lines), len(pane)) {
		if i == len(s.lines) {
			s.lines = append(s.lines, "")
		}
		s.lines[i] = pad(s.lines[i], left+1) + rule
		if i < len(pane) {
			s.lines[i] += pane[i]
		}
	}
	return s
}
