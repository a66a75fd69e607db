package tty

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// widthUnknown is the width in cells that lines are wrapped to where nobody
// knows it; widthLeast the width below which wrapping makes no text readable.
const (
	widthUnknown = 80
	widthLeast   = 20
)

// paper is what the plain form writes on: wrapped text and nothing else. The
// first error sticks, and nothing is written after it.
type paper struct {
	w     io.Writer
	width func() int // in cells; asked for every paragraph, windows change
	err   error
}

// text writes a paragraph, or several, wrapped. The first line is indented by
// the width of mark, and starts with it; the others hang under its text.
func (p *paper) text(mark, s string) {
	hang := strings.Repeat(" ", ansi.StringWidth(mark))
	width := p.width()
	if width <= 0 {
		width = widthUnknown
	}
	// The last column stays free: terminals differ in what they do after it.
	width = max(width-1, widthLeast) - len(hang)
	p.write(mark, hang, ansi.Wrap(s, width, ""))
}

// lines writes preformatted text: its lines are kept, the mark stands before
// each.
func (p *paper) lines(mark, s string) { p.write(mark, mark, strings.TrimRight(s, "\n")) }

func (p *paper) write(first, others, s string) {
	var b strings.Builder
	mark := first
	for line := range strings.SplitSeq(s, "\n") {
		b.WriteString(strings.TrimRight(mark+line, " ") + "\n")
		mark = others
	}
	p.print(b.String())
}

// blank writes an empty line.
func (p *paper) blank() { p.print("\n") }

// print writes s as it is.
func (p *paper) print(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}
