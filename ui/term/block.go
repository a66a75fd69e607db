package term

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Block is something drawn: lines, and what of them matters most.
type Block struct {
	Lines       []string
	Top, Bottom int         // first and last line of what has the focus
	Cursor      *tea.Cursor // the terminal's cursor within the lines; nil hides it
	Pinned      int         // how many of the first lines never scroll away
}

// Add appends a block below, which becomes the focus.
func (b *Block) Add(below Block) {
	at := len(b.Lines)
	b.Lines = append(b.Lines, below.Lines...)
	b.Top, b.Bottom = at+below.Top, at+below.Bottom
	b.Cursor = Shift(below.Cursor, 0, at)
}

// Window cuts b to rows lines around its focus: the first line of that is
// always in, the rest of it as far as it fits. Marks for more above and below
// are in the cell right of width.
func (b Block) Window(rows, width int) Block {
	if len(b.Lines) <= rows {
		return b
	}
	if rows <= 0 {
		return Block{}
	}
	if b.Pinned > 0 && b.Pinned < rows {
		return b.windowBelow(rows, width)
	}
	at := min(max(0, b.Bottom-rows+1), b.Top)
	if b.Cursor != nil { // what is being typed wins over its heading
		at = min(max(at, b.Cursor.Y-rows+1), b.Cursor.Y)
	}
	at = min(at, len(b.Lines)-rows)
	out := Block{
		Lines:  slices.Clone(b.Lines[at : at+rows]),
		Top:    b.Top - at,
		Bottom: min(b.Bottom-at, rows-1),
		Cursor: Shift(b.Cursor, 0, -at),
	}
	MarkMore(out.Lines, width, at > 0, at+rows < len(b.Lines))
	return out
}

// MarkMore puts the marks for more above and below beside the first and the
// last of the lines, in the cell right of width.
func MarkMore(lines []string, width int, above, below bool) {
	first, last := 0, len(lines)-1
	switch {
	case last < 0:
	case above && below && first == last:
		lines[first] = Pad(lines[first], width) + "↕"
	default:
		if above {
			lines[first] = Pad(lines[first], width) + "↑"
		}
		if below {
			lines[last] = Pad(lines[last], width) + "↓"
		}
	}
}

// windowBelow is Window for the lines below the pinned ones.
func (b Block) windowBelow(rows, width int) Block {
	n := b.Pinned
	out := Block{Lines: slices.Clone(b.Lines[:n]), Pinned: n}
	rest := Block{Lines: b.Lines[n:], Top: max(b.Top-n, 0), Bottom: max(b.Bottom-n, 0)} // nothing may have the focus
	typedAbove := b.Cursor != nil && b.Cursor.Y < n
	if !typedAbove {
		rest.Cursor = Shift(b.Cursor, 0, -n)
	}
	out.Add(rest.Window(rows-n, width))
	if typedAbove {
		out.Cursor = b.Cursor
	}
	return out
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
