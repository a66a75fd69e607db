package inbox

import (
	tea "charm.land/bubbletea/v2"
)

// reader shows a text in place of a list until the human has read it.
type reader struct {
	title string
	lines func(l *look, width int) []string
	y     int // the first line shown
	rows  int // how many were shown when it was last drawn
}

// press handles a key and reports whether the human has done reading.
func (r *reader) press(key tea.KeyPressMsg) bool {
	page := max(r.rows-1, 1)
	switch key.String() {
	case "up", "k":
		r.y--
	case "down", "j":
		r.y++
	case "pgup", "ctrl+b":
		r.y -= page
	case "pgdown", "ctrl+f", "space":
		r.y += page
	case "home", "g":
		r.y = 0
	case "end", "G":
		r.y = 1 << 30
	default:
		return true
	}
	return false
}

func (r *reader) hints() []hint { return []hint{{"↑↓", "scroll"}, {"any other key", "back"}} }

func (r *reader) draw(l *look, width, rows int) sheet {
	lines := r.lines(l, width)
	r.rows = rows
	r.y = max(min(r.y, len(lines)-rows), 0)
	end := min(r.y+rows, len(lines))
	out := append([]string(nil), lines[r.y:max(end, r.y)]...)
	if len(out) == 0 {
		return sheet{}
	}
	if r.y > 0 {
		out[0] = pad(out[0], width) + "↑"
	}
	if last := len(out) - 1; end < len(lines) {
		out[last] = pad(out[last], width) + "↓"
	}
	return sheet{lines: out}
}
