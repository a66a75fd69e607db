package form

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// wrap breaks s, which carries no escape codes, into lines of at most width
// cells. It breaks where Unicode allows (UAX 14), so that Chinese and Japanese
// flow on instead of being cut as one long word (FACTS 7.6), and inside a word
// only when the word alone is too long.
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
	var line strings.Builder
	used := 0
	put := func(part string, cells int) {
		line.WriteString(part)
		used += cells
	}
	flush := func() {
		out = append(out, strings.TrimRight(line.String(), " "))
		line.Reset()
		used = 0
	}
	for rest, state := s, -1; rest != ""; {
		var part string
		part, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		word := ansi.StringWidth(strings.TrimRight(part, " "))
		if used > 0 && used+word > width {
			flush()
		}
		if word <= width {
			put(part, ansi.StringWidth(part))
			continue
		}
		for part != "" {
			char, cells := ansi.FirstGraphemeCluster(part, ansi.GraphemeWidth)
			if used > 0 && used+cells > width && char != " " {
				flush()
			}
			put(char, cells)
			part = part[len(char):]
		}
	}
	flush()
	return out
}

// cut shortens a line to width cells, with an ellipsis where something went.
func cut(s string, width int) string { return ansi.Truncate(s, max(width, 0), "…") }

// pad fills a line, which may carry styles, with spaces up to width cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}
