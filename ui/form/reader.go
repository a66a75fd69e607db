package form

import (
	tea "charm.land/bubbletea/v2"
)

// reader shows something long to be read, in place of the page.
type reader struct {
	title  string // of the panel; empty keeps the page's
	lines  func(l *look, width int) []string
	scroll scroll
}

// plainText is what a reader shows of a text, which is safe to show.
func plainText(s string) func(*look, int) []string {
	return func(l *look, width int) []string { return each(l.plain, wrap(s, width)) }
}

// press handles a key and reports whether the human has done reading.
func (r *reader) press(key tea.KeyPressMsg) bool {
	switch s := key.String(); s {
	case "up", "k":
		r.scroll.y--
	case "down", "j":
		r.scroll.y++
	case "space":
		r.scroll.press("pgdown")
	case "home", "g":
		r.scroll.y = 0
	case "end", "G":
		r.scroll.y = 1 << 30
	case "<", ">":
	default:
		return !r.scroll.press(s)
	}
	return false
}

func (r *reader) hints() []hint {
	return []hint{{"↑↓", "scroll"}, {"any other key", "back"}}
}

func (r *reader) draw(l *look, width, rows int) sheet {
	lines := r.lines(l, width)
	r.scroll.limit(len(lines)-rows, 0, rows)
	y := r.scroll.y
	return sheet{lines: lines, top: y, bottom: min(y+rows, len(lines)) - 1}.window(rows, width)
}
