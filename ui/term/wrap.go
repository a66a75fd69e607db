package term

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// Wrap breaks s, which carries no escape codes, into lines of at most width
// cells. It breaks between words and, as Unicode allows (UAX 14), within
// Chinese and Japanese, which flow on instead of being cut as one long word;
// inside a word only when the word alone is too long.
func Wrap(s string, width int) []string { return slices.Collect(wrapped(s, width)) }

// wrapped is Wrap, a line at a time.
func wrapped(s string, width int) iter.Seq[string] {
	width = max(width, 2) // space for one wide character
	return func(yield func(string) bool) {
		for paragraph := range strings.SplitSeq(s, "\n") {
			if !wrapParagraph(paragraph, width, yield) {
				return
			}
		}
	}
}

// wrapParagraph yields the lines of s, which has no line break, and reports whether more
// are wanted.
func wrapParagraph(s string, width int, yield func(string) bool) bool {
	begin, at, used := 0, 0, 0 // the current line is s[begin:at], used cells wide
	endLine := func() bool {
		line := strings.TrimRight(s[begin:at], " ")
		begin, used = at, 0
		return yield(line)
	}
	for at < len(s) {
		part := nextWord(s[at:], width)
		word := ansi.StringWidth(strings.TrimRight(part, " "))
		if used > 0 && used+word > width && !endLine() {
			return false
		}
		if word <= width {
			at += len(part)
			used += ansi.StringWidth(part)
			continue
		}
		for part != "" {
			char, cells := ansi.FirstGraphemeCluster(part, ansi.GraphemeWidth)
			if used > 0 && used+cells > width && char != " " && !endLine() {
				return false
			}
			at += len(char)
			used += cells
			part = part[len(char):]
		}
	}
	return endLine()
}

// nextWord returns the beginning of s up to the first place where a line may break: before
// a word, and between the characters of scripts without blanks. A hyphen or a slash within a
// word is such a place only if the word is longer than a line: commands and paths stay whole.
func nextWord(s string, width int) string {
	end, first, cells := 0, 0, 0
	for state := -1; end < len(s); {
		var part string
		part, _, _, state = uniseg.FirstLineSegmentInString(s[end:], state)
		if at := strings.Index(part, " /"); at >= 0 { // Unicode would keep a path with the word before it
			end += at + 1
			break
		}
		if end += len(part); first == 0 {
			first = end
		}
		last, _ := utf8.DecodeLastRuneInString(part)
		next, _ := utf8.DecodeRuneInString(s[end:])
		if last == ' ' || wide(last) || wide(next) { // at the end too, where next is the replacement character
			break
		}
		if cells += ansi.StringWidth(part); cells > width {
			return s[:first]
		}
	}
	if word := s[:end]; first == 0 || ansi.StringWidth(strings.TrimRight(word, " ")) <= width {
		return word
	}
	return s[:first]
}

// wide reports whether c is of a script that is written without blanks.
func wide(c rune) bool { return c >= 0x2e80 || 0x0e00 <= c && c < 0x0f00 }

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
