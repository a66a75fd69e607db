package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The cells of a panel left and right of its text, and the lines above and below, hints
// included.
const (
	EdgesWide = 4
	EdgesHigh = 3
)

// Panel is lines inside a border with titles, and the hints below.
type Panel struct {
	Title, Place string // in the upper edge, left and right
	Note, Clock  string // in the lower edge, left and right, in styles of their own
	Hints        []Hint
}

// Draw puts the block into a panel of width cells, on a terminal of this size.
func (p Panel) Draw(s *Styles, b Block, width, termWidth, termHeight int) Block {
	out := make([]string, 0, len(b.Lines)+EdgesHigh)
	out = append(out, edge(s, "╭", s.Title.Render(Cut(p.Title, width)), s.Muted.Render(p.Place), "╮", width))
	side := s.Border.Render("│")
	for _, line := range b.Lines {
		// The cell right of the text may hold the mark of a window.
		line = ansi.Truncate(line, width-EdgesWide+1, "")
		out = append(out, side+" "+Pad(line, width-EdgesWide+1)+side)
	}
	out = append(out, edge(s, "╰", p.Note, p.Clock, "╯", width), " "+hintLine(s, p.Hints, termWidth-2))
	return Block{Lines: out, Cursor: Shift(b.Cursor, EdgesWide/2, 1)}.clip(termWidth, termHeight)
}

// edge is a border with one text near its left end, and another near its right end, which
// stays whole. Either may be empty.
func edge(s *Styles, corner, left, right, end string, width int) string {
	space := width - 2 // between the corners
	if ansi.StringWidth(right) > 0 {
		space -= ansi.StringWidth(right) + len("  -")
	}
	begin := corner
	left = Cut(left, space-len("-  "))
	if ansi.StringWidth(left) > 0 {
		space -= ansi.StringWidth(left) + len("-  ")
		left, begin = s.Border.Render(corner+"─ ")+left, " "
	} else {
		left = ""
	}
	line := begin + strings.Repeat("─", max(0, space))
	if ansi.StringWidth(right) == 0 {
		return left + s.Border.Render(line+end)
	}
	return left + s.Border.Render(line+" ") + right + s.Border.Render(" ─"+end)
}
