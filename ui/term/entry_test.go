package term

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/internal/fatal"
)

// TestEntryKeepsEveryCharacter: what a user has typed, or is offered as the answer,
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

// TestEntryKeepsWhatNobodySees: scripts are written with characters that have no look
// of their own. What of them is typed or pasted comes back from a draft as it was; in
// what others propose they are shown.
func TestEntryKeepsWhatNobodySees(t *testing.T) {
	for _, s := range []string{"ភាសា\u200bខ្មែរ", "שלום\u200f!", "می\u200cخواهم"} {
		typed, pasted, again := NewEntry("", ""), NewEntry("", ""), NewEntry("", "")
		typed.Focus()
		pasted.Focus()
		for _, c := range s {
			fatal.If(t, typed.Press(tea.KeyPressMsg{Code: c, Text: string(c)}))
		}
		fatal.If(t, pasted.Press(tea.PasteMsg{Content: s}))
		if again.Set(typed.Text()); typed.Text() != s || pasted.Text() != s || again.Text() != s {
			t.Errorf("%q was typed as %q, pasted as %q and is %q again", s, typed.Text(), pasted.Text(), again.Text())
		}
	}
	if got := NewEntry("a\u200bb\u202ec", "").Text(); got != "a[U+200B]b[U+202E]c" {
		t.Errorf("proposed is %q", got)
	}
	e := NewEntry("", "")
	e.Focus()
	if err := e.Press(tea.PasteMsg{Content: "b\u202ec\td"}); err != nil || e.Text() != "b[U+202E]c    d" {
		t.Errorf("pasted is %q, %v", e.Text(), err)
	}
}

// TestEntryIsAsWideAsItIs: of characters whose cells are counted in two ways too.
func TestEntryIsAsWideAsItIs(t *testing.T) {
	for n := range 20 {
		e := NewEntry("", "")
		e.Set(strings.Repeat("1️⃣", n) + strings.Repeat("a", 20-n) + "❤️1⃣\u200b\u200e")
		for _, line := range e.Draw(NewStyles(true), 20, 5).Lines {
			if got := ansi.StringWidth(line); got != 20 {
				t.Errorf("%d cells: %q", got, line)
			}
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

// typeLines types this many lines of one letter.
func typeLines(n int) *Entry {
	e := NewEntry("", "")
	e.Focus()
	for i := range n {
		if i > 0 {
			_ = e.Press(tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt})
		}
		_ = e.Press(tea.KeyPressMsg{Code: 'x', Text: "x"})
	}
	return e
}

// TestEntryHasNoLastLine: a text may have more lines than huh has by itself.
func TestEntryHasNoLastLine(t *testing.T) {
	e := typeLines(150)
	if got := strings.Count(e.Text(), "x\n"); got != 149 {
		t.Errorf("%d lines end, want 149", got)
	}
	if b := e.Draw(NewStyles(true), 20, 5).Window(5, 20); len(b.Lines) != 5 || b.Cursor == nil || b.Cursor.Y != 4 {
		t.Errorf("drawn are %q, the cursor is at %+v", b.Lines, b.Cursor)
	}
}

// TestEntryShrinks: an entry is as high as its text, also once most of it is gone.
func TestEntryShrinks(t *testing.T) {
	e := typeLines(60)
	for len(e.area.Value()) > 5 {
		_ = e.Press(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	if b := e.Draw(NewStyles(true), 20, 5); len(b.Lines) != 3 || b.Cursor == nil || b.Cursor.Y != 2 {
		t.Errorf("of three lines are drawn %q, the cursor is at %+v", b.Lines, b.Cursor)
	}
}

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
