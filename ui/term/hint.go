package term

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/ui/words"
)

// Hint is a key and what it does here.
type Hint = [2]string

// If returns the hints where something holds, and none where it does not.
func If(holds bool, hints ...Hint) []Hint {
	if !holds {
		return nil
	}
	return hints
}

// hintLine shows as many hints, the most important first, as fit whole; none is
// cut through.
func hintLine(s *Styles, hints []Hint, width int) string {
	const gap = " · "
	line, used := "", 0
	for _, h := range hints {
		cells := ansi.StringWidth(h[0] + " " + h[1])
		if used > 0 {
			cells += ansi.StringWidth(gap)
		}
		if used+cells > width {
			continue
		}
		if used > 0 {
			line += s.Muted.Render(gap)
		}
		line += s.Key.Render(h[0]) + " " + s.Muted.Render(h[1])
		used += cells
	}
	return line
}

// WaitingHints stand in place of all others while keys do not count (act.Gate).
func WaitingHints(width int) []Hint {
	hint := Hint{"…", words.T("waiting for a pause in your typing")}
	if ansi.StringWidth(hint[0]+" "+hint[1]) > width-2 {
		hint[1] = words.T("pause to answer")
	}
	return []Hint{hint}
}

// HintGroup is hints under a heading.
type HintGroup struct {
	Title string
	Hints []Hint
}

// KeysReader lists keys, one to a line.
func KeysReader(title string, groups ...HintGroup) *Reader {
	return NewReader(title, func(s *Styles, width int) []string {
		var lines []string
		for i, g := range groups {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, s.Strong.Render(g.Title))
			lines = append(lines, Table(s.Key, 11, g.Hints, width)...)
		}
		return lines
	})
}

// Table is names in a style, one below the other, and beside them what they
// stand for, so many cells or more to the right.
func Table(style lipgloss.Style, column int, pairs [][2]string, width int) (lines []string) {
	for _, p := range pairs {
		column = max(column, ansi.StringWidth(p[0])+1)
	}
	for _, p := range pairs {
		lines = append(lines, Hang(style.Render(Pad(p[0], column)), p[1], width)...)
	}
	return lines
}
