package form

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// preview is an option's preformatted text in an area of its own.
type preview struct {
	lines []string // nil where the option has none
	wide  int      // cells of the longest line
}

// previews reports whether an option of the question has one.
func previews(q *question.Question) bool {
	return slices.ContainsFunc(q.Options, func(o question.Option) bool { return o.Preview != "" })
}

// preview returns that of the option under the cursor. It is nil only when no
// option has one, so that the page keeps its shape as the cursor moves.
func (c *choice) preview() *preview {
	if !previews(c.ask) {
		return nil
	}
	if c.cursor == nowhere {
		return &preview{lines: []string{}}
	}
	r := &c.rows[c.cursor]
	if r.preview == nil {
		r.preview = &preview{}
		if text := r.option.Preview; text != "" {
			r.preview.lines = strings.Split(strings.TrimRight(term.Tame(text), "\n"), "\n")
		}
		for _, line := range r.preview.lines {
			r.preview.wide = max(r.preview.wide, ansi.StringWidth(line))
		}
	}
	return r.preview
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
