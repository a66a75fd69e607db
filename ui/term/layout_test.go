package term

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// Shortcuts are Latin letters. A terminal that reports the letter of a Cyrillic keyboard with
// Ctrl reports the Latin one of the same key, too; of a French keyboard the user's own letter
// counts.
func TestShortcutsOfOtherKeyboards(t *testing.T) {
	if !strings.Contains(enter(), "\x1b[>5u") {
		t.Error("the terminal is not asked for the Latin letters")
	}
	for typed, want := range map[string]string{
		"\x1b[1089::99;5u": "ctrl+c", "\x1b[97::113;5u": "ctrl+a", "\x1b[99;5u": "ctrl+c", "\x1b[13u": "enter",
	} {
		var decoder uv.EventDecoder
		_, event := decoder.Decode([]byte(typed))
		key, _ := asMessage(event).(tea.KeyPressMsg)
		if key.String() != want {
			t.Errorf("%q is %s, want %s", typed, key, want)
		}
	}
}
