package term

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term/act"
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

// TestEntryEditedElsewhere: what was written in an editor is left in a file when its
// question goes away, and what was not is not.
func TestEntryEditedElsewhere(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	w := NewWindow(time.Now)
	typed, edited := NewEntry("typed", ""), NewEntry("", "")
	w.Edit(typed)
	w.Edit(edited)
	if err := errors.Join(typed.replace("typed", ""), edited.replace("long thoughts", "")); err != nil {
		t.Fatal(err)
	}
	if said := w.Left(false); said != "" {
		t.Errorf("kept elsewhere, and said: %s", said)
	}
	said := w.Left(true)
	text, err := os.ReadFile(edited.left)
	if err != nil || string(text) != "long thoughts" || !strings.Contains(said, edited.left) || typed.left != "" {
		t.Errorf("left is %q, %v; said: %s", text, err, said)
	}
	if w.Appear(act.Opened); w.Left(true) != "" {
		t.Error("said of what came later")
	}
}
