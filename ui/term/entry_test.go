package term

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestEntryKeepsEveryCharacter: what a human has typed, or is offered as the answer,
// comes out of an entry as it went in, also what a screen shows as something plainer.
func TestEntryKeepsEveryCharacter(t *testing.T) {
	for _, s := range []string{"👍🏽", "👨‍👩‍👧 and 🇩🇪", "1️⃣ ❤️", "数据库", "é̈", "one\n\ntwo"} {
		if got := NewEntry(s, "").Text(); got != s {
			t.Errorf("%q became %q", s, got)
		}
		e := NewEntry("", "")
		if e.Set(s); e.Text() != s {
			t.Errorf("%q became %q", s, e.Text())
		}
	}
}

// TestEntryTakesThePastesOfTerminals: xterm, tmux and most others end the lines of
// a paste with a carriage return.
func TestEntryTakesThePastesOfTerminals(t *testing.T) {
	for _, paste := range []string{"one\ntwo\n\nthree", "one\rtwo\r\rthree", "one\r\ntwo\r\n\r\nthree"} {
		e := NewEntry("", "")
		e.Focus()
		if err := e.Press(tea.PasteMsg{Content: paste}); err != nil || e.Text() != "one\ntwo\n\nthree" {
			t.Errorf("%q became %q, %v", paste, e.Text(), err)
		}
	}
}
