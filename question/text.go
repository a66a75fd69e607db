package question

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Line makes a text from outside safe to show on one line: control
// characters, line breaks, bidirectional overrides and invisible characters
// become visible text that no terminal or page interprets.
// What a reader can see stays as it is.
func Line(s string) string { return visible(s, false, false) }

// Block is Line for a text of several lines: line breaks stay line breaks and
// a tab becomes four spaces.
func Block(s string) string { return visible(s, true, false) }

// Readable is Block for a text that is read and not laid out, as a model reads it: tabs and
// directional marks stay.
func Readable(s string) string { return visible(s, true, true) }

func visible(s string, lines, exact bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\r' && strings.HasPrefix(s[i:], "\r\n") {
			i++ // one line break, not two
			continue
		}
		i += size
		switch {
		case lines && (r == '\n' || r == '\u2028' || r == '\u2029'):
			b.WriteByte('\n')
		case exact && (r == '\t' || directional(r)):
			b.WriteRune(r)
		case lines && r == '\t':
			b.WriteString("    ")
		case r == '\t':
			b.WriteByte(' ')
		case r < 0x20: // the control pictures mirror ASCII: U+241B is ESC
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case directional(r):
		case hidden(r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r) // an invalid byte arrives here as U+FFFD
		}
	}
	return b.String()
}

// directional reports whether r is a mark that is ordinary in Hebrew and Arabic: it reorders
// nothing beyond its neighbours, and has no look of its own.
func directional(r rune) bool { return r == '\u200e' || r == '\u200f' || r == '\u061c' }

// hidden reports whether r acts on the text around it, or hides, instead of
// being seen. The two joiners are spared: emoji and several scripts need them.
func hidden(r rune) bool {
	switch r {
	case '\u200c', '\u200d':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Other_Default_Ignorable_Code_Point)
}

// Count returns the number of characters of s as a reader counts them:
// grapheme clusters.
func Count(s string) int {
	chars, _ := measure(s)
	return chars
}

// Shorten cuts s to at most n characters as a reader counts them; where
// something was cut the last one is an ellipsis.
func Shorten(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if Cut(s, n) == s {
		return s
	}
	return strings.TrimRightFunc(Cut(s, n-1), unicode.IsSpace) + "…"
}

// Cut returns the first n characters of s as a reader counts them.
func Cut(s string, n int) string {
	rest := s
	for ; n > 0 && rest != ""; n-- {
		_, rest, _, _ = uniseg.FirstGraphemeClusterInString(rest, -1)
	}
	return s[:len(s)-len(rest)]
}
