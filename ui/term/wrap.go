package term

import (
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// Wrap breaks s, which carries no escape codes, into lines of at most width
// cells. It breaks where Unicode allows (UAX 14), so that Chinese and Japanese
// flow on instead of being cut as one long word (FACTS 7.6), and inside a word
// only when the word alone is too long.
func Wrap(s string, width int) []string {
	lines, _ := wrap(s, width, math.MaxInt)
	return lines
}

// wrap is Wrap for the first n lines or a few more; it reports whether there
// are others.
func wrap(s string, width, n int) (lines []string, more bool) {
	width = max(width, 2) // space for one wide character
	for line := range strings.SplitSeq(s, "\n") {
		if len(lines) >= n {
			return lines, true
		}
		var left bool
		if lines, left = wrapLine(lines, line, width, n); left {
			return lines, true
		}
	}
	return lines, false
}

// wrapLine appends the lines of s to out until there are n.
func wrapLine(out []string, s string, width, n int) (lines []string, more bool) {
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
		if len(out) >= n {
			return out, true
		}
		var part string
		if size := plainWord(rest); size > 0 { // most of most texts, and much faster
			part, rest, state = rest[:size], rest[size:], -1
		} else {
			part, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		}
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
			if len(out) >= n {
				return out, true
			}
		}
	}
	flush()
	return out, false
}

// plainWord returns the size of what s begins with if that is ASCII letters and
// digits, blanks and then another such: a line may break there, whatever comes
// before and after (UAX 14, LB18). It is 0 otherwise.
func plainWord(s string) int {
	i, j := 0, 0
	for i < len(s) && plain(s[i]) {
		i++
	}
	for j = i; j < len(s) && s[j] == ' '; j++ {
	}
	if i == 0 || j == i || j == len(s) || !plain(s[j]) {
		return 0
	}
	return j
}

func plain(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// Hang wraps a text after a lead, which may carry styles, with its other lines
// under the first.
func Hang(lead, text string, width int) []string {
	cells := ansi.StringWidth(lead)
	lines := Wrap(text, width-cells)
	for i := range lines {
		lines[i] = lead + lines[i]
		lead = strings.Repeat(" ", cells)
	}
	return lines
}

// Cut shortens a line to width cells, with an ellipsis where something went.
func Cut(s string, width int) string { return ansi.Truncate(s, max(width, 0), "…") }

// Pad fills a line, which may carry styles, with blanks up to width cells.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

// Apart puts one text at the left end of a line and one at the right, which
// stays whole.
func Apart(left, right string, width int) string {
	space := width - ansi.StringWidth(right)
	return Pad(Cut(left, space-1), space) + right
}

// Opening cuts lines of width cells to the first n, and says that they go on.
func Opening(lines []string, n, width int) []string {
	if len(lines) <= n {
		return lines
	}
	if n > 0 {
		lines[n-1] = ansi.Truncate(lines[n-1], width-2, "") + " …"
	}
	return lines[:n]
}
