package inbox

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// wrap breaks s, which carries no escape codes, into lines of at most width
// cells: where Unicode allows (UAX 14), so that Chinese and Japanese flow on,
// and inside a word only when the word alone is too long.
func wrap(s string, width int) []string {
	width = max(width, 2) // room for one wide character
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, wrapLine(line, width)...)
	}
	return out
}

func wrapLine(s string, width int) []string {
	var out []string
	line := ""
	for rest, state := s, -1; rest != ""; {
		var word string
		word, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		if ansi.StringWidth(line+strings.TrimRight(word, " ")) <= width {
			line += word
			continue
		}
		if line != "" {
			out = append(out, strings.TrimRight(line, " "))
		}
		parts := strings.Split(ansi.Hardwrap(strings.TrimRight(word, " "), width, true), "\n")
		out = append(out, parts[:len(parts)-1]...)
		line = parts[len(parts)-1] + word[len(strings.TrimRight(word, " ")):]
	}
	return append(out, strings.TrimRight(line, " "))
}

// hang wraps a text after a lead, with its other lines under the first.
func hang(lead, text string, width int) []string {
	cells := ansi.StringWidth(lead)
	lines := wrap(text, width-cells)
	for i := range lines {
		lines[i] = lead + lines[i]
		lead = strings.Repeat(" ", cells)
	}
	return lines
}

// cut shortens a line to width cells, with an ellipsis where something went.
func cut(s string, width int) string { return ansi.Truncate(s, max(width, 0), "…") }

// pad fills a line, which may carry styles, with spaces up to width cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

// apart puts one text at the left end of a line and one at the right, which
// stays whole.
func apart(left, right string, width int) string {
	left = cut(left, width-ansi.StringWidth(right)-1)
	return pad(left, width-ansi.StringWidth(right)) + right
}
