package form

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
)

// preview is an option's preformatted text in a pane of its own.
type preview struct {
	text   string
	scroll *scroll
}

// preview returns that of the option under the cursor. It is nil only when no
// option has one, so that the page keeps its shape as the cursor moves.
func (c *choice) preview() *preview {
	for _, r := range c.rows {
		if r.option.Preview != "" {
			return &preview{c.rows[c.cursor].option.Preview, &c.scroll}
		}
	}
	return nil
}

// draw shows the preview in rows lines: a heading that says how much there is,
// then the text, never wrapped.
func (p *preview) draw(l *look, width, rows int) []string {
	var text []string
	wide := 0
	if p.text != "" {
		text = strings.Split(strings.TrimRight(question.Block(p.text), "\n"), "\n")
	}
	for _, line := range text {
		wide = max(wide, ansi.StringWidth(line))
	}
	room := rows - 1
	p.scroll.limit(len(text)-room, wide-width, room)
	from, to := p.scroll.y, min(p.scroll.y+room, len(text))

	heading := "preview"
	switch {
	case p.text == "":
		heading = "no preview"
	case len(text) > room:
		heading = fmt.Sprintf("preview %d–%d of %d", from+1, to, len(text))
	}
	rule := ansi.Truncate("── "+heading+" "+strings.Repeat("─", width), width, "")
	out := []string{l.border.Render(rule)}
	for i := from; i < to; i++ {
		line := ansi.TruncateLeft(text[i], p.scroll.x, "")
		out = append(out, cut(line, width))
	}
	return out
}

// scroll is how far a text is moved, in lines and cells.
type scroll struct {
	x, y int
	page int // lines in view when it was last drawn
}

// press moves the text and reports whether the key was one that does.
func (s *scroll) press(key string) bool {
	switch key {
	case "pgdown", "ctrl+d":
		s.y += max(s.page-1, 1)
	case "pgup", "ctrl+u":
		s.y -= max(s.page-1, 1)
	case ">":
		s.x += 8
	case "<":
		s.x -= 8
	default:
		return false
	}
	return true
}

// limit keeps the text in view.
func (s *scroll) limit(y, x, page int) {
	s.y = min(max(s.y, 0), max(y, 0))
	s.x = min(max(s.x, 0), max(x, 0))
	s.page = page
}
