package inbox

import (
	"strings"
	"testing"
)

// TestLongNote: what the last key led to is shown whole, where the edge is too
// short for it above that.
func TestLongNote(t *testing.T) {
	for _, width := range []int{40, 80, 100} {
		r := newRig(t, width, 12)
		r.claude(database())
		r.open()
		r.m.note = "The question cannot be opened: " + strings.Repeat("so it is, ", 6) + "alas."
		r.see("cannot be opened:", "so it is,", "alas.", "Database")
		checkScreen(t, r)
	}
}
