package inbox

import (
	"slices"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
)

// rowHigh is how many lines a row takes.
const rowHigh = 2

// row is a record in a list, and what else is known of it.
type row struct {
	rec desk.Record
	known
}

// list is rows of which one is selected. Rows may come and go around the
// selected one; it then stays the selected one, and on its line of the screen
// as far as possible.
type list struct {
	rows []*row
	at   int // the selected row, if there are any
	top  int // the first row on the screen
	fits int // how many were on the screen when it was last drawn
}

// selected returns the selected row, nil if there is none.
func (l *list) selected() *row {
	if l.at >= len(l.rows) {
		return nil
	}
	return l.rows[l.at]
}

func (l *list) find(id string) *row {
	if i := l.index(id); i >= 0 {
		return l.rows[i]
	}
	return nil
}

func (l *list) index(id string) int {
	return slices.IndexFunc(l.rows, func(r *row) bool { return r.rec.ID == id })
}

func (l *list) insert(i int, r *row) {
	l.rows = slices.Insert(l.rows, i, r)
	if i <= l.at && len(l.rows) > 1 {
		l.at++
		l.top++
	}
}

// remove takes a row out. If it was the selected one, the one below takes its
// place.
func (l *list) remove(id string) {
	i := l.index(id)
	if i < 0 {
		return
	}
	l.rows = slices.Delete(l.rows, i, i+1)
	if i < l.at {
		l.at--
		l.top = max(l.top-1, 0)
	}
	l.at = min(l.at, max(len(l.rows)-1, 0))
}

// selectRow selects a row that may have gone meanwhile.
func (l *list) selectRow(r *row) {
	if i := slices.Index(l.rows, r); i >= 0 {
		l.at = i
	}
}

// target returns the row to which a key moves the cursor, if it is one that
// does.
func (l *list) target(key string) (to int, ok bool) {
	page := max(l.fits-1, 1)
	switch to = l.at; key {
	case "up", "k":
		to--
	case "down", "j":
		to++
	case "pgup", "ctrl+b":
		to -= page
	case "pgdown", "ctrl+f":
		to += page
	case "home", "g":
		to = 0
	case "end", "G":
		to = len(l.rows) - 1
	default:
		return 0, false
	}
	return max(min(to, len(l.rows)-1), 0), true
}

// visible returns the rows that fit into this many lines, the selected one
// among them, and the index of the first.
func (l *list) visible(lines int) (rows []*row, first int) {
	l.fits = max(lines/rowHigh, 1)
	l.top = max(min(l.top, l.at, len(l.rows)-l.fits), l.at-l.fits+1, 0)
	return l.rows[l.top:min(l.top+l.fits, len(l.rows))], l.top
}

// draw shows the visible rows, each drawn by itself, in this many lines. Marks
// at the right edge say that there is more above or below.
func (l *list) draw(width, lines int, draw func(r *row, selected bool) [rowHigh]string) []string {
	rows, first := l.visible(lines)
	var out []string
	for i, r := range rows {
		for _, line := range draw(r, first+i == l.at) {
			out = append(out, line)
		}
	}
	term.MarkMore(out, width, first > 0, first+len(rows) < len(l.rows))
	return out
}
