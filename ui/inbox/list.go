package inbox

import (
	"slices"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
)

// rowHigh is how many lines a row takes.
const rowHigh = 2

// row is a record in a list, and what else is known of it.
type row struct {
	rec desk.Record
	known
	group       string // the heading above it; empty for none
	place       string // sorts the rows
	wasAttended bool   // its asker waits for the answer, or did when it ended
	marked      bool   // for what is done to several at once
}

// list is rows of which one is selected, those of a group under its heading.
// Rows may come, go and change places around the selected one; it then stays
// the selected one, and on its line of the screen as far as possible.
type list struct {
	rows  []*row
	at    int    // the selected row, if there are any
	top   int    // the first line on the screen
	fits  int    // how many lines were on the screen when it was last laid out
	spots []spot // what was there
}

// spot is a row on the screen, perhaps only a part of it: its first line, counted
// from the first of the list.
type spot struct {
	row    *row
	y      int
	headed bool // with the heading of its group above
}

// selected returns the selected row, nil if there is none.
func (l *list) selected() *row {
	if l.at >= len(l.rows) {
		return nil
	}
	return l.rows[l.at]
}

// show puts these rows in place of what is there. If the selected one is not
// among them, the next that is takes its place.
func (l *list) show(rows []*row) {
	line := l.line(l.at) - l.top
	at := max(min(l.at, len(rows)-1), 0)
	for _, r := range l.rows[min(l.at, len(l.rows)):] {
		if i := slices.Index(rows, r); i >= 0 {
			at = i
			break
		}
	}
	l.rows, l.at = rows, at
	l.top = max(l.line(at)-line, 0)
}

// selectRow selects a row that may have gone meanwhile.
func (l *list) selectRow(r *row) {
	if i := slices.Index(l.rows, r); i >= 0 {
		l.at = i
	}
}

// headed reports whether a row has the heading of its group above it.
func (l *list) headed(i int) bool {
	return l.rows[i].group != "" && (i == 0 || l.rows[i-1].group != l.rows[i].group)
}

// line is the first line of a row below its heading; after the last row, the
// first line below all.
func (l *list) line(at int) int {
	y := at * rowHigh
	for i := range min(at+1, len(l.rows)) {
		if l.headed(i) {
			y++
		}
	}
	return y
}

// target returns the row to which a key moves the cursor, if it is one that
// does.
func (l *list) target(key string) (to int, ok bool) {
	by, ok := term.Step(key, max(l.fits/rowHigh-1, 1))
	return max(min(l.at+by, len(l.rows)-1), 0), ok
}

// layOut finds out what fits into this many lines, the selected row and its heading
// among it.
func (l *list) layOut(lines int) {
	from, to := l.line(l.at), l.line(l.at)+rowHigh
	if len(l.rows) > 0 && l.headed(l.at) && lines > rowHigh {
		from--
	}
	l.top = min(max(l.top, to-lines), from)
	l.top = max(min(l.top, l.line(len(l.rows))-lines), 0)
	l.fits, l.spots = lines, nil
	y := -l.top
	for i, r := range l.rows {
		headed := l.headed(i)
		if headed {
			y++
		}
		if y > lines {
			break
		}
		if y+rowHigh > 0 {
			l.spots = append(l.spots, spot{r, y, headed})
		}
		y += rowHigh
	}
}

// drawRow draws a row.
type drawRow func(s *term.Styles, r *row, selected bool, width int, now time.Time) [rowHigh]string

// draw shows what fits into this many lines, or the text where there are no
// rows. Marks at the right edge say that there is more above or below.
func (l *list) draw(s *term.Styles, text string, width, lines int, now time.Time, draw drawRow) []string {
	l.layOut(lines)
	if len(l.rows) == 0 {
		return append([]string{""}, term.Text(s.Muted, text, width)...)
	}
	all := l.line(len(l.rows))
	out := make([]string, min(lines, all-l.top))
	put := func(y int, line string) {
		if 0 <= y && y < len(out) {
			out[y] = line
		}
	}
	for _, spot := range l.spots {
		if spot.headed {
			put(spot.y-1, s.Rule(term.Cut(spot.row.group, width-len("--  ---")), width))
		}
		for i, line := range draw(s, spot.row, spot.row == l.selected(), width, now) {
			put(spot.y+i, line)
		}
	}
	term.MarkMore(out, width, l.top > 0, l.top+lines < all)
	return out
}
