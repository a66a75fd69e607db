package tty

import (
	"cmp"
	"io"
	"strings"

	"mcp-askuser/ui/term"
)

// widthUnknown is the width in cells that lines are wrapped to where it is
// unknown; widthLeast the width below which wrapping makes no text readable.
const (
	widthUnknown = 80
	widthLeast   = 20
)

// printer writes what the plain form says: wrapped text and nothing else. The
// first error sticks, and nothing is written after it.
type printer struct {
	w     io.Writer
	width func() int // in cells; asked for every paragraph, windows change
	err   error
	// lastWords is called before what is written after the context has ended.
	lastWords func()
}

// text writes a paragraph, or several, wrapped. The first line is indented by
// the width of mark, and starts with it; the others hang under its text.
func (p *printer) text(mark, s string) {
	// The last column stays free: terminals differ in what they do after it.
	width := cmp.Or(max(p.width(), 0), widthUnknown) - 1
	p.write("", term.Hang(mark, s, max(width, widthLeast)))
}

// lines writes preformatted text: it keeps its lines and puts the mark before
// each.
func (p *printer) lines(mark, s string) {
	p.write(mark, strings.Split(strings.TrimRight(s, "\n"), "\n"))
}

func (p *printer) write(mark string, lines []string) {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(mark+line, " ") + "\n")
	}
	_ = p.print(b.String())
}

func (p *printer) blank() { _ = p.print("\n") }

func (p *printer) print(s string) error {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
	return p.err
}
