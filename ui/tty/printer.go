package tty

import (
	"cmp"
	"io"
	"strings"

	"mcp-askuser/ui/term"
)

// defaultWidth is the width in cells that lines are wrapped to where it is
// unknown. On less than minWidth wrapping makes no text readable, and on less than
// minHeight lines no question is in view with its prompt.
const (
	defaultWidth = 80
	minWidth     = 20
	minHeight    = 4
)

// readable reports whether lines can be read on a terminal of this size; 0 is unknown.
func readable(width, height int) bool {
	return (width == 0 || width >= minWidth) && (height == 0 || height >= minHeight)
}

// printer writes wrapped text and nothing else. Nothing is written after the first error.
type printer struct {
	w     io.Writer
	width func() int // in cells, now
	err   error
}

// text writes paragraphs, wrapped. The first line starts with mark; the others are
// indented by its width.
func (p *printer) text(mark, s string) {
	// The last column stays free: terminals differ in what they do after it.
	width := cmp.Or(max(p.width(), 0), defaultWidth) - 1
	p.write("", term.HangingIndent(mark, s, max(width, minWidth)))
}

// lines writes preformatted text, with mark before each line.
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
