package form

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
)

// TestOwnEmoji: a composed emoji of the user's takes as many cells as the frame leaves for it in every terminal,
// in the row of Other, in a note and in the review.
func TestOwnEmoji(t *testing.T) {
	const own = "own 👨‍👩‍👧‍👦 ❤️ words"
	answer := told("db", own)
	answer.Note = own
	r := fresh(t, 80, 24, record(database(), name()),
		withDraft(question.Reply{Note: own, Answers: []question.Answer{answer, told("name", own)}})).show()
	for _, page := range []string{"Database", "Name", "Review"} {
		screen := r.screen()
		if !strings.Contains(screen, page) || !strings.Contains(screen, "own 👨") {
			t.Errorf("the page is not that of %s:\n%s", page, screen)
		}
		for line := range strings.Lines(screen) {
			if ansi.StringWidthWc(line) != ansi.StringWidth(line) {
				t.Errorf("%s: %q is as wide as the terminal likes", page, line)
			}
		}
		r.keys("down", "up", "enter")
	}
}
