package form

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// preview is an option's preformatted text in an area of its own.
type preview struct {
	lines []string // nil where the option has none
	wide  int      // cells of the longest line
}

func newPreview(text string) *preview {
	p := &preview{}
	if text != "" {
		p.lines = strings.Split(strings.TrimRight(term.Safe(text), "\n"), "\n")
	}
	for _, line := range p.lines {
		p.wide = max(p.wide, ansi.StringWidth(line))
	}
	return p
}

// draw shows the preview in rows lines: a heading that says how much there is,
// then the text, its lines cut, never wrapped.
func (p *preview) draw(s *term.Styles, scroll *term.Scroll, width, rows int) []string {
	rows-- // the heading
	scroll.Limit(len(p.lines)-rows, rows)
	from, to := scroll.Y, min(scroll.Y+rows, len(p.lines))

	heading := words.T("preview")
	switch {
	case p.lines == nil:
		heading = words.T("no preview")
	case len(p.lines) > rows:
		heading = words.T("preview %[1]d–%[2]d of %[3]d", from+1, to, len(p.lines))
	}
	out := []string{s.Rule(heading, width)}
	for _, line := range p.lines[from:to] {
		out = append(out, term.Cut(line, width))
	}
	return out
}
