package term

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"mcp-askuser/question"
)

// The limits of a text from outside, in bytes. Texts of calls are well below; those of
// older records and other programs may not be.
const (
	maxText    = 128 << 10
	maxCluster = 64 // one character as a reader counts them: families of emoji fit
)

// Safe makes a text safe to show in several lines, and limits it: a long end, and hundreds
// of marks on one letter, become an ellipsis.
func Safe(s string) string {
	return boundClusters(question.Block(cutBytes(s, maxText)))
}

// boundClusters limits each character of a text, as a reader counts them.
func boundClusters(s string) string {
	return mapClusters(s, func(cluster string) string { return cutBytes(plainEmoji(cluster), maxCluster) })
}

// mapClusters replaces each character of a text, as a reader counts them.
func mapClusters(s string, replace func(cluster string) string) string {
	if !strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf }) {
		return s
	}
	var b strings.Builder
	for state := -1; s != ""; {
		var cluster string
		cluster, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		b.WriteString(replace(cluster))
	}
	return b.String()
}

// plainAsWide is plainEmoji in as many cells as the composed one was counted.
func plainAsWide(cluster string) string { return Pad(plainEmoji(cluster), ansi.StringWidth(cluster)) }

// plainEmoji returns the emoji that a composed one begins with. Terminals differ
// in the cells that one with a colour of skin, a style, a family or a flag
// takes (tmux 3.3 counts its parts), and a line that is wider than it was counted
// loses its end. Other characters stay whole.
func plainEmoji(cluster string) string {
	if !strings.ContainsFunc(cluster, composes) || ansi.StringWidth(cluster) == ansi.StringWidthWc(cluster) {
		return cluster
	}
	first, size := utf8.DecodeRuneInString(cluster)
	if first > 0x7f && first < 0x2000 { // a letter that one of these has strayed to
		return cluster
	}
	return cluster[:size]
}

// composes reports whether c makes one emoji of several characters: a joiner, a
// style, a keycap, a colour of skin, a letter of a flag.
func composes(c rune) bool {
	return c == 0x200d || c == 0xfe0f || c == 0x20e3 || 0x1f3fb <= c && c <= 0x1f3ff || 0x1f1e6 <= c && c <= 0x1f1ff
}

// Line makes a text safe to show on one line of at most n characters. It reads little more
// of the text.
func Line(s string, n int) string {
	return question.Shorten(boundClusters(question.Line(cutBytes(s, n*maxCluster))), n)
}

// cutBytes cuts s to n bytes and an ellipsis, between two characters.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
