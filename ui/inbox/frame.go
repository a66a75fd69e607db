package inbox

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// maxWidth keeps lines readable on wide terminals.
const maxWidth = 120

// The cells that a panel takes beside its text, and the lines above and below,
// the hints included.
const (
	edgesWide = 4
	edgesHigh = 3
)

// sheet is something drawn, and where the terminal's cursor is in it; nil
// hides it.
type sheet struct {
	lines  []string
	cursor *tea.Cursor
}

// panel is a screen: lines inside a border, with a title and a count in its
// upper edge, a note in its lower one, and the keys below.
type panel struct {
	title, count, note string
	hints              []hint
}

// draw fills a terminal of this size.
func (p panel) draw(l *look, s sheet, width, height int) sheet {
	wide := min(width, maxWidth)
	rows := max(height-edgesHigh, 0)
	out := make([]string, 0, height)
	out = append(out, p.upper(l, wide))
	side := l.border.Render("│")
	for i := range rows {
		line := ""
		if i < len(s.lines) {
			line = s.lines[i]
		}
		// The cell right of the text may hold the mark of a window.
		line = ansi.Truncate(line, wide-edgesWide+1, "")
		out = append(out, side+" "+pad(line, wide-edgesWide+1)+side)
	}
	out = append(out, p.lower(l, wide), " "+hintLine(l, p.hints, width-2))
	return sheet{out, shift(s.cursor, edgesWide/2, 1)}.clip(width, height)
}

func (p panel) upper(l *look, width int) string {
	count := "╮"
	if p.count != "" {
		count = " " + p.count + " ─╮"
	}
	room := width - ansi.StringWidth("╭─  "+count)
	title := cut(p.title, room)
	fill := strings.Repeat("─", max(0, room-ansi.StringWidth(title)))
	return l.border.Render("╭─ ") + l.title.Render(title) + l.border.Render(" "+fill+count)
}

func (p panel) lower(l *look, width int) string {
	room := width - ansi.StringWidth("╰─  ╯")
	note := cut(p.note, room)
	if note == "" {
		return l.border.Render("╰" + strings.Repeat("─", max(0, width-2)) + "╯")
	}
	fill := strings.Repeat("─", max(0, room-ansi.StringWidth(note)))
	return l.border.Render("╰─ ") + l.plain.Render(note) + l.border.Render(" "+fill+"╯")
}

// clip keeps a screen within the terminal, however small that is.
func (s sheet) clip(width, height int) sheet {
	s.lines = s.lines[:min(len(s.lines), height)]
	for i, line := range s.lines {
		s.lines[i] = ansi.Truncate(line, width, "")
	}
	if c := s.cursor; c != nil && (c.X >= width || c.Y >= len(s.lines)) {
		s.cursor = nil
	}
	return s
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

// hint is a key and what it does here.
type hint struct{ key, does string }

// hintLine shows as many hints, most important first, as fit whole.
func hintLine(l *look, hints []hint, width int) string {
	const gap = " · "
	line, used := "", 0
	for _, h := range hints {
		w := ansi.StringWidth(h.key + " " + h.does)
		if used > 0 {
			w += len(" - ")
		}
		if used+w > width {
			continue
		}
		if used > 0 {
			line += l.muted.Render(gap)
		}
		line += l.key.Render(h.key) + " " + l.muted.Render(h.does)
		used += w
	}
	return line
}
