package term

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestEntryShowsItsPlaceholderWhole: in a narrow field, as high as it takes; what is typed is as high as itself.
func TestEntryShowsItsPlaceholderWhole(t *testing.T) {
	e := NewEntry("", "Why, if you like: the agent reads it")
	shown := ansi.Strip(strings.Join(e.Draw(NewStyles(true), 30, 5).Lines, " "))
	got := strings.Join(strings.Fields(strings.ReplaceAll(shown, "┃", "")), " ")
	if got != "(Why, if you like: the agent reads it)" {
		t.Errorf("it shows %q", got)
	}
	e.Set("so")
	if lines := e.Draw(NewStyles(true), 30, 5).Lines; len(lines) != 1 {
		t.Errorf("one word has %d lines", len(lines))
	}
}
