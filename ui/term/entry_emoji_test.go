package term

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestEntryShowsPlainEmoji: a composed emoji that the user types takes as many cells in the drawing as the field
// counts, in every terminal, and comes out as it was typed.
func TestEntryShowsPlainEmoji(t *testing.T) {
	for _, emoji := range []string{"👨‍👩‍👧‍👦", "❤️", "👍🏽", "🏳️‍🌈", "🇩🇪"} {
		e := NewEntry("", "")
		e.Set("a " + emoji + " b")
		line := ansi.Strip(e.Draw(NewStyles(true), 20, 1).Lines[0])
		if ansi.StringWidthWc(line) != ansi.StringWidth(line) || ansi.StringWidth(line) != 20 {
			t.Errorf("%s is drawn as %q", emoji, line)
		}
		if before, _, _ := strings.Cut(line, " b"); ansi.StringWidth(before) != len("┃ a ")-2+ansi.StringWidth(emoji) {
			t.Errorf("after %s the cursor is not where it is drawn: %q", emoji, line)
		}
		if e.Text() != "a "+emoji+" b" {
			t.Errorf("%s became %q", emoji, e.Text())
		}
	}
}
