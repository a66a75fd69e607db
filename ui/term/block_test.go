package term

import (
	"slices"
	"testing"
)

// TestPinnedWindow: the first line stays, and the rest begins at its beginning
// where nothing in it has the focus.
func TestPinnedWindow(t *testing.T) {
	for focus, want := range map[int][]string{
		0: {"/ x", "1", "2  ↓"},
		1: {"/ x", "1", "2  ↓"},
		4: {"/ x", "3  ↑", "4"},
	} {
		b := Block{Lines: []string{"/ x", "1", "2", "3", "4"}, Top: focus, Bottom: focus, Pinned: 1}
		if got := b.Window(3, 3).Lines; !slices.Equal(got, want) {
			t.Errorf("focus on line %d: %q, want %q", focus, got, want)
		}
	}
}
