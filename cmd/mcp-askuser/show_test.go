//go:build unix

package main

import (
	"regexp"
	"strings"
	"testing"

	"mcp-askuser/internal/golden"
	"mcp-askuser/ui/view"
)

// A record in words: each question with its options, follow-ups below the option
// that brings them up, the answer, and how it ended. Times are in the reader's
// zone, and not in the golden file.
func TestShow(t *testing.T) {
	var b strings.Builder
	for _, rec := range past() {
		p := page{width: 60}
		p.record(view.Local(rec))
		b.WriteString(p.String() + "\n")
	}
	text := regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(b.String(), "TIME")
	golden.Check(t, "golden/show.txt", text)
}
