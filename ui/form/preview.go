package form

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

// preview is an option's preformatted text in an area of its own.
type preview struct {
	text   string
	scroll *term.Scroll
}

// preview returns that of the option under the cursor. It is nil only when no
// option has one, so that the page keeps its shape as the cursor moves.
func (c *choice) preview() *preview {
	for _, r := range c.rows {
		if r.option.Preview != "" {
			return &preview{c.option().Preview, &c.scroll}
		}
	}
	return nil
}

// draw shows the preview in rows lines: a heading that says how much there is,
// then the text, never wrapped.
func (p *preview) draw(s *term.Styles, width, rows int) []string {
	var text []string
	wide := 0
	if p.text != "" {
		text = strings.Split(strings.TrimRight(question.Block(p.text), "\n"), "\n")
	}
	for _, line := range text {
		wide = max(wide, ansi.StringWidth(line))
	}
	rows-- // the heading
	p.scroll.Limit(len(text)-rows, wide-width, rows)
	from, to := p.scroll.Y, min(p.scroll.Y+rows, len(text))

	heading := "preview"
	switch {
	case p.text == "":
		heading = "no preview"
	case len(text) > rows:
		heading = fmt.Sprintf("preview %d–%d of %d", from+1, to, len(text))
	}
	rule := ansi.Truncate("── "+heading+" "+strings.Repeat("─", width), width, "")
	out := []string{s.Border.Render(rule)}
	for i := from; i < to; i++ {
		out = append(out, term.Cut(ansi.TruncateLeft(text[i], p.scroll.X, ""), width))
	}
	return out
}
