package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// sheet is something drawn: lines, and what of them matters most.
type sheet struct {
	lines       []string
	top, bottom int         // first and last line of what has the cursor
	cursor      *tea.Cursor // the terminal's cursor within lines; nil hides it
	pinned      int         // how many of the first lines never scroll away
}

// add appends lines of s below, shifting its focus and cursor, and makes them
// the focus.
func (s *sheet) add(below sheet) {
	at := len(s.lines)
	s.lines = append(s.lines, below.lines...)
	s.top, s.bottom = at+below.top, at+below.bottom
	s.cursor = shift(below.cursor, 0, at)
}

// window cuts s to rows lines around its focus: its first line is always in,
// the rest of it as far as it fits. Width is where the marks for more above
// and below stand.
func (s sheet) window(rows, width int) sheet {
	if len(s.lines) <= rows {
		return s
	}
	if rows <= 0 {
		return sheet{}
	}
	if n := s.pinned; n > 0 && n < rows {
		return s.windowBelow(n, rows, width)
	}
	at := max(0, s.bottom-rows+1)
	at = min(at, s.top)
	if s.cursor != nil { // what is being typed wins over its heading
		at = min(max(at, s.cursor.Y-rows+1), s.cursor.Y)
	}
	at = min(at, len(s.lines)-rows)
	out := sheet{
		lines:  slices.Clone(s.lines[at : at+rows]),
		top:    s.top - at,
		bottom: min(s.bottom-at, rows-1),
		cursor: shift(s.cursor, 0, -at),
	}
	if at > 0 {
		out.lines[0] = pad(out.lines[0], width) + "↑"
	}
	if at+rows < len(s.lines) {
		last := len(out.lines) - 1
		if last == 0 && at > 0 {
			out.lines[0] = pad(s.lines[at], width) + "↕"
		} else {
			out.lines[last] = pad(out.lines[last], width) + "↓"
		}
	}
	return out
}

// windowBelow is window for what stands below the n pinned lines.
func (s sheet) windowBelow(n, rows, width int) sheet {
	out := sheet{lines: slices.Clone(s.lines[:n]), cursor: s.cursor, pinned: n}
	rest := sheet{lines: s.lines[n:], top: s.top - n, bottom: s.bottom - n}
	typedAbove := s.cursor != nil && s.cursor.Y < n
	if !typedAbove {
		rest.cursor = shift(s.cursor, 0, -n)
	}
	out.add(rest.window(rows-n, width))
	if typedAbove {
		out.cursor = s.cursor
	}
	return out
}

func shift(c *tea.Cursor, x, y int) *tea.Cursor {
	if c == nil {
		return nil
	}
	moved := *c
	moved.X += x
	moved.Y += y
	return &moved
}
