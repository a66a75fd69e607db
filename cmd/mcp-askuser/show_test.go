//go:build unix

package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/golden"
)

// A record in words: each question with its options and its answer, indented, and what is
// known of it. Times are in the reader's zone, and not in the golden file.
func TestShow(t *testing.T) {
	var b strings.Builder
	for _, rec := range past() {
		b.WriteString(recordText(rec, 60, time.Time{}) + "\n")
	}
	text := regexp.MustCompile(`\d{1,2} Nov 2026 \d\d:\d\d:\d\d`).ReplaceAllString(b.String(), "TIME")
	golden.Check(t, "golden/show.txt", text)
}
