package term

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Block is drawn lines, some of which have the focus.
type Block struct {
	Lines       []string
	Top, Bottom int         // first and last line with the focus
	Cursor      *tea.Cursor // the terminal's cursor within the lines; nil hides it
	Pinned      int         // number of first lines that never scroll away
}

// Add appends a block below, which gets the focus.
func (b *Block) Add(below Block) {
	at := len(b.Lines)
	b.Lines = append(b.Lines, below.Lines...)
	b.Top, b.Bottom = at+below.Top, at+below.Bottom
	b.Cursor = Shift(below.Cursor, 0, at)
}

// Window cuts b to rows lines: the pinned ones, and below them those around its focus, of
// which the first line is always in, the rest as far as it fits. Marks for more above and
// below are in the cell right of width.
func (b Block) Window(rows, width int) Block {
	out, above, below := b.cut(rows)
	markMore(out.Lines[out.Pinned:], width, above, below)
	return out
}

// cut is Window without the marks: it reports where there is more.
func (b Block) cut(rows int) (out Block, above, below bool) {
	switch {
	case len(b.Lines) <= rows:
		return b, false, false
	case rows <= 0:
		return Block{}, false, false
	case b.Pinned >= rows:
		b.Pinned = 0
	}
	first, rest := b.Pinned, rows-b.Pinned
	top, bottom := max(b.Top, first), max(b.Bottom, first) // the focus may be above
	at := min(max(first, bottom-rest+1), top)
	typed := b.Cursor != nil && b.Cursor.Y >= first
	if typed { // it matters more than its heading
		at = min(max(at, b.Cursor.Y-rest+1), b.Cursor.Y)
	}
	at = min(at, len(b.Lines)-rest)
	out = Block{
		Lines:  slices.Concat(b.Lines[:first], b.Lines[at:at+rest]),
		Top:    top - at + first,
		Bottom: min(bottom-at+first, rows-1),
		Cursor: b.Cursor,
		Pinned: first,
	}
	if typed {
		out.Cursor = Shift(b.Cursor, 0, first-at)
	}
	return out, at > first, at+rest < len(b.Lines)
}

// markMore puts the marks for more above and below beside the first and the
// last of the lines, in the cell right of width.
func markMore(lines []string, width int, above, below bool) {
	first, last := 0, len(lines)-1
	if above && below && first == last {
		lines[first] = Pad(lines[first], width) + "↕"
		return
	}
	if above {
		lines[first] = Pad(lines[first], width) + "↑"
	}
	if below {
		lines[last] = Pad(lines[last], width) + "↓"
	}
}

// clip keeps a screen within the terminal, however small that is.
func (b Block) clip(width, height int) Block {
	b.Lines = b.Lines[:min(len(b.Lines), height)]
	for i, line := range b.Lines {
		b.Lines[i] = ansi.Truncate(line, width, "")
	}
	if c := b.Cursor; c != nil && (c.X >= width || c.Y >= len(b.Lines)) {
		b.Cursor = nil
	}
	return b
}

// Shift moves a cursor, if there is one.
func Shift(c *tea.Cursor, x, y int) *tea.Cursor {
	if c == nil {
		return nil
	}
	moved := *c
	moved.X += x
	moved.Y += y
	return &moved
}
