package inbox

import (
	"slices"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
)

const rowHigh = 2 // lines

// row is a record in a list, and what else is known of it.
type row struct {
	rec desk.Record
	known
	group       string // the heading above it; empty for none
	wasAttended bool   // its asker waits for the answer, or did when it ended
}

// list is rows of which one is selected, those of a group under its heading.
// Rows may come, go and change places around the selected one; it then stays
// the selected one, and on its line of the screen as far as possible.
type list struct {
	rows  []*row
	at    int    // the selected row, if there are any
	lines []line // all of them
	top   int    // of lines, the first on the screen
	shown []line // those on the screen, when it was last laid out
}

// line is a line of a list: of a row, or the heading above it.
type line struct {
	row  *row
	part int // of the row's lines; heading
}

const heading = -1

// selected returns nil in an empty list.
func (l *list) selected() *row {
	if l.at >= len(l.rows) {
		return nil
	}
	return l.rows[l.at]
}

// y is the first line of the selected row below its heading.
func (l *list) y() int {
	return max(slices.IndexFunc(l.lines, func(x line) bool { return x.row == l.rows[l.at] && x.part == 0 }), 0)
}

// show puts these rows in place of what is there. If the selected one is not
// among them, the next that is takes its place.
func (l *list) show(rows []*row) {
	y := l.y() - l.top
	at := max(min(l.at, len(rows)-1), 0)
	for _, r := range l.rows[min(l.at, len(l.rows)):] {
		if i := slices.Index(rows, r); i >= 0 {
			at = i
			break
		}
	}
	l.rows, l.at, l.lines = rows, at, nil
	group := ""
	for _, r := range rows {
		if r.group != "" && r.group != group {
			group = r.group
			l.lines = append(l.lines, line{r, heading})
		}
		for part := range rowHigh {
			l.lines = append(l.lines, line{r, part})
		}
	}
	l.top = max(l.y()-y, 0)
}

// selectRow selects a row that may have gone meanwhile.
func (l *list) selectRow(r *row) {
	if i := slices.Index(l.rows, r); i >= 0 {
		l.at = i
	}
}

// target returns the row to which a key moves the cursor; ok is false for other keys.
func (l *list) target(key string) (to int, ok bool) {
	by, ok := term.Step(key, max(len(l.shown)/rowHigh-1, 1))
	return max(min(l.at+by, len(l.rows)-1), 0), ok
}

// layOut scrolls so that the selected row, and its heading, are in this many lines.
func (l *list) layOut(lines int) {
	from, to := l.y(), l.y()+rowHigh
	if from > 0 && l.lines[from-1].part == heading && lines > rowHigh {
		from--
	}
	l.top = min(max(l.top, to-lines), from)
	l.top = max(min(l.top, len(l.lines)-lines), 0)
	l.shown = l.lines[l.top:min(l.top+lines, len(l.lines))]
}

type drawRow func(s *term.Styles, r *row, selected bool, width int, now time.Time) [rowHigh]string

// draw draws what fits into this many lines, or the text where there are no rows, with
// marks at the right edge for more above and below.
func (l *list) draw(s *term.Styles, text string, width, lines int, now time.Time, draw drawRow) []string {
	l.layOut(lines)
	if len(l.rows) == 0 {
		return append([]string{""}, term.Text(s.Muted, text, width)...)
	}
	var out []string
	var of *row
	var drawn [rowHigh]string
	for _, x := range l.shown {
		if x.part == heading {
			out = append(out, s.Rule(term.Cut(x.row.group, width-len("--  ---")), width))
			continue
		}
		if x.row != of {
			of, drawn = x.row, draw(s, x.row, x.row == l.selected(), width, now)
		}
		out = append(out, drawn[x.part])
	}
	term.MarkMore(out, width, l.top > 0, l.top+lines < len(l.lines))
	return out
}
