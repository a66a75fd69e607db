package form

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// hint is a key and what it does here.
type hint struct{ key, does string }

// onward stands for what Enter does on a page: only the form knows whether it
// sends or turns to the next page.
const onward = ""

// hintLine shows as many hints, most important first, as fit whole; none is
// cut through (FACTS 7.6).
func hintLine(l *look, hints []hint, width int) string {
	const gap = " · "
	line, used := "", 0
	for _, h := range hints {
		w := ansi.StringWidth(h.key) + 1 + ansi.StringWidth(h.does)
		if used > 0 {
			w += ansi.StringWidth(gap)
		}
		if used+w > width {
			continue
		}
		if used > 0 {
			line += l.muted.Render(gap)
		}
		line += l.key.Render(h.key) + " " + l.muted.Render(h.does)
		used += w
	}
	return line
}

// hintPage lists every hint, one to a line.
func hintPage(hints []hint) string {
	var b strings.Builder
	b.WriteString("Keys on this page\n")
	for _, h := range append(hints, hint{"ctrl+c", "leave; the question stays open"}) {
		b.WriteString("\n" + pad(h.key, 11) + h.does)
	}
	return b.String()
}
