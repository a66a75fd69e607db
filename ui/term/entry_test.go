package term

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/internal/fatal"
)

// TestEntryKeepsEveryCharacter: what a user types, pastes or gets back from a draft comes out of an entry as it
// went in, also what a screen shows as something plainer, and characters that have no look of their own.
func TestEntryKeepsEveryCharacter(t *testing.T) {
	for _, s := range []string{
		"👍🏽", "👨‍👩‍👧 and 🇩🇪", "1️⃣ ❤️", "数据库", "é̈", "ភាសា\u200bខ្មែរ", "שלום\u200f!", "می\u200cخواهم",
	} {
		typed, pasted, again := NewEntry("", ""), NewEntry("", ""), NewEntry("", "")
		typed.Focus()
		pasted.Focus()
		for _, c := range s {
			fatal.If(t, typed.Press(tea.KeyPressMsg{Code: c, Text: string(c)}))
		}
		fatal.If(t, typed.Press(tea.KeyPressMsg{Code: 'x', Text: "X", Mod: tea.ModShift}))
		fatal.If(t, typed.Press(tea.KeyPressMsg{Code: tea.KeyBackspace, Mod: tea.ModShift})) // still held
		fatal.If(t, pasted.Press(tea.PasteMsg{Content: s}))
		if again.Set(typed.Text()); typed.Text() != s || pasted.Text() != s || again.Text() != s {
			t.Errorf("%q was typed as %q, pasted as %q and is %q again", s, typed.Text(), pasted.Text(), again.Text())
		}
	}
	for s, want := range map[string]string{"👨‍👩‍👧\n\n数据库": "👨‍👩‍👧\n\n数据库", "a\u200bb\u202ec": "a[U+200B]b[U+202E]c"} {
		if got := NewEntry(s, "").Text(); got != want {
			t.Errorf("%q is proposed as %q", s, got)
		}
	}
}

// TestEntryTakesThePastesOfTerminals: xterm, tmux and most others end the lines of
// a paste with a carriage return. Nothing in a paste is more than text.
func TestEntryTakesThePastesOfTerminals(t *testing.T) {
	for paste, want := range map[string]string{
		"one\ntwo\n\nthree": "one\ntwo\n\nthree", "one\rtwo\r\rthree": "one\ntwo\n\nthree",
		"one\r\ntwo\r\n\r\nthree": "one\ntwo\n\nthree", "b\u202ec\td": "b[U+202E]c    d",
	} {
		e := NewEntry("", "")
		e.Focus()
		if err := e.Press(tea.PasteMsg{Content: paste}); err != nil || e.Text() != want {
			t.Errorf("%q became %q, %v", paste, e.Text(), err)
		}
	}
}

// TestEntryWidth: a line is drawn as wide as the field, in every terminal, also of characters whose cells are
// counted in two ways; the cursor is where the text is drawn.
func TestEntryWidth(t *testing.T) {
	texts := []string{"👨‍👩‍👧‍👦", "❤️", "👍🏽", "🏳️‍🌈", "🇩🇪"}
	for n := range 20 {
		texts = append(texts, strings.Repeat("1️⃣", n)+strings.Repeat("a", 20-n)+"❤️1⃣\u200b\u200e")
	}
	for _, text := range texts {
		e := NewEntry("", "")
		e.Set("a " + text + " b")
		lines := e.Draw(NewStyles(true), 20, 5).Lines
		for _, line := range lines {
			line = ansi.Strip(line)
			if ansi.StringWidthWc(line) != ansi.StringWidth(line) || ansi.StringWidth(line) != 20 {
				t.Errorf("%s is drawn as %q", text, line)
			}
		}
		before, _, short := strings.Cut(ansi.Strip(lines[0]), " b")
		if short && ansi.StringWidth(before) != len("a ")+2+ansi.StringWidth(text) {
			t.Errorf("after %s the cursor is not where it is drawn: %q", text, lines[0])
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

// TestEntryHeight: a text may have more lines than huh has by itself, and an entry is as high as its text, also
// once most of it is gone.
func TestEntryHeight(t *testing.T) {
	e := typeLines(110)
	if got := strings.Count(e.Text(), "x\n"); got != 109 {
		t.Errorf("%d lines end, want 109", got)
	}
	if b := e.Draw(NewStyles(true), 20, 5).Window(5, 20); len(b.Lines) != 5 || b.Cursor == nil || b.Cursor.Y != 4 {
		t.Errorf("drawn are %q, the cursor is at %+v", b.Lines, b.Cursor)
	}
	for len(e.area.Value()) > 5 {
		_ = e.Press(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	if b := e.Draw(NewStyles(true), 20, 5); len(b.Lines) != 3 || b.Cursor == nil || b.Cursor.Y != 2 {
		t.Errorf("of three lines are drawn %q, the cursor is at %+v", b.Lines, b.Cursor)
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
