package term

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks s, which carries no escape codes, into lines of at most width cells: between words,
// within Chinese and Japanese but before no punctuation, and inside a word only when the word
// alone is too long.
func Wrap(s string, width int) []string {
	const hyphen, unbroken = "-", "\u2011" // ansi.Wrap would divide commands at their hyphens
	const pause = "\u200b"                 // a place where a line may break
	var b strings.Builder
	for i, c := range s {
		if i > 0 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			b.WriteString(pause)
		}
		b.WriteRune(c)
	}
	width = max(width, 2) // room for a wide character
	wrapped := ansi.Wrap(strings.ReplaceAll(b.String(), hyphen, unbroken), width, pause)
	wrapped = ansi.Hardwrap(wrapped, width, true) // blanks before a word may have made a line too long
	lines := strings.Split(strings.NewReplacer(unbroken, hyphen, pause, "").Replace(wrapped), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// HangingIndent wraps a text after a lead, which may carry styles, with its other lines
// under the first.
func HangingIndent(lead, text string, width int) []string {
	cells := ansi.StringWidth(lead)
	lines := Wrap(text, width-cells)
	for i := range lines {
		lines[i] = lead + lines[i]
		lead = strings.Repeat(" ", cells)
	}
	return lines
}

// Cut shortens a line to width cells, with an ellipsis.
func Cut(s string, width int) string { return ansi.Truncate(s, max(width, 0), "…") }

// Pad fills a line, which may carry styles, with blanks up to width cells.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

// Justify puts one text at the left end of a line and one, which stays whole, at the right.
func Justify(left, right string, width int) string {
	space := width - ansi.StringWidth(right)
	return Pad(Cut(left, space-1), space) + right
}

// Opening cuts lines of width cells to the first n, with an ellipsis.
func Opening(lines []string, n, width int) []string {
	if len(lines) <= n {
		return lines
	}
	if n > 0 {
		lines[n-1] = ansi.Truncate(lines[n-1], width-2, "") + " …"
	}
	return lines[:n]
}
