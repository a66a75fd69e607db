package term

import (
	"strings"

	"charm.land/lipgloss/v2"
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
	x := lipgloss.RoundedBorder()
	out := []string{edge(s, x.Top, x.TopLeft, s.Title.Render(Cut(p.Title, width)), s.Muted.Render(p.Place), x.TopRight,
		width)}
	side := s.Border.Render(x.Left)
	for _, line := range b.Lines {
		// The cell right of the text may hold the mark of a window.
		line = ansi.Truncate(line, width-EdgesWide+1, "")
		out = append(out, side+" "+Pad(line, width-EdgesWide+1)+side)
	}
	out = append(out, edge(s, x.Bottom, x.BottomLeft, p.Note, p.Clock, x.BottomRight, width),
		" "+hintLine(s, p.Hints, termWidth-2))
	return Block{Lines: out, Cursor: Shift(b.Cursor, EdgesWide/2, 1)}.clip(termWidth, termHeight)
}

// edge is a border with one text near its left end, and another near its right end, which
// stays whole. Either may be empty.
func edge(s *Styles, across, corner, left, right, end string, width int) string {
	space := width - 2 // between the corners
	if ansi.StringWidth(right) > 0 {
		space -= ansi.StringWidth(right) + len("  -")
	}
	begin := corner
	left = Cut(left, space-len("-  "))
	if ansi.StringWidth(left) > 0 {
		space -= ansi.StringWidth(left) + len("-  ")
		left, begin = s.Border.Render(corner+across+" ")+left, " "
	} else {
		left = ""
	}
	line := begin + strings.Repeat(across, max(0, space))
	if ansi.StringWidth(right) == 0 {
		return left + s.Border.Render(line+end)
	}
	return left + s.Border.Render(line+" ") + right + s.Border.Render(" "+across+end)
}
