package termtest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Deadline is how long a wait may take before the test fails. Far above what
// any wait needs, so that a loaded machine fails no test.
const Deadline = time.Minute

var keyCodes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
	"backspace": tea.KeyBackspace,
}

// Keys returns the messages of keys pressed one after the other, each by its
// name; what is no name is typed.
func Keys(names ...string) []tea.KeyPressMsg {
	var out []tea.KeyPressMsg
	for _, name := range names {
		if k, ok := named(name); ok {
			out = append(out, k)
			continue
		}
		for _, c := range name {
			out = append(out, tea.KeyPressMsg{Text: string(c), Code: c})
		}
	}
	return out
}

// Messages returns what a program reads of keys that are typed at once: a paste in brackets is one message.
func Messages(keys string) []tea.Msg {
	if paste, ok := strings.CutPrefix(keys, ansi.BracketedPasteStart); ok {
		return []tea.Msg{tea.PasteMsg{Content: strings.TrimSuffix(paste, ansi.BracketedPasteEnd)}}
	}
	if keys == "\x1b[B" {
		return []tea.Msg{Keys("down")[0]}
	}
	var out []tea.Msg
	for _, c := range keys {
		name := string(c)
		switch c {
		case '\r':
			name = "enter"
		case ' ':
			name = "space"
		}
		out = append(out, Keys(name)[0])
	}
	return out
}

func named(name string) (k tea.KeyPressMsg, ok bool) {
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			name, k.Mod = rest, mod
		}
	}
	if k.Code, ok = keyCodes[name]; ok {
		if name == "space" {
			k.Text = " "
		}
		return k, true
	}
	k.Code, _ = utf8.DecodeRuneInString(name)
	return k, k.Mod != 0 && utf8.RuneCountInString(name) == 1
}

// Shown is what a terminal of this size shows of a view: text, and where its
// cursor is.
func Shown(v tea.View, cols, rows int) string {
	emulator := vt.NewEmulator(cols, rows)
	defer func() { _ = emulator.Close() }()
	_, _ = emulator.WriteString(strings.ReplaceAll(v.Content, "\n", "\r\n"))
	text := trimmed(emulator) + "\n"
	if v.Cursor != nil {
		text += fmt.Sprintf("cursor at column %d, line %d\n", v.Cursor.X+1, v.Cursor.Y+1)
	}
	return text
}

var style = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// trimmed is what an emulator shows, without blanks at the ends.
func trimmed(emulator *vt.Emulator) string {
	lines := strings.Split(emulator.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// CheckView fails when a view is larger than its terminal, holds more than text
// and styles, or has its cursor outside.
func CheckView(t testing.TB, v tea.View, cols, rows int) {
	t.Helper()
	lines := strings.Split(v.Content, "\n")
	if v.Content != "" && len(lines) > rows {
		t.Fatalf("%d lines on %d:\n%s", len(lines), rows, v.Content)
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > cols {
			t.Fatalf("a line of %d cells on %d: %q", w, cols, line)
		}
		if plain := style.ReplaceAllString(line, ""); Harmful(plain) {
			t.Fatalf("not only text: %q", plain)
		}
	}
	if c := v.Cursor; c != nil && (c.X < 0 || c.Y < 0 || c.X >= cols || c.Y >= rows) {
		t.Fatalf("the cursor is at %d,%d on %d×%d", c.X, c.Y, cols, rows)
	}
}

// Harmful reports whether a line holds more than text.
func Harmful(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(c rune) bool {
		return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)
	})
}
