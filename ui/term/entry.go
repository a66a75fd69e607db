package term

import (
	"errors"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Entry is a text field. Its cursor is the terminal's own: an input method shows its
// candidates there.
type Entry struct {
	area    textarea.Model
	oneLine bool
	least   int // lines
}

// NewEntry returns a text field without the keyboard. The value and the placeholder may come
// from outside.
func NewEntry(value, placeholder string) *Entry {
	e := newEntry(placeholder, entryBorder+" ")
	if value != "" { // it costs
		e.Set(question.Block(cutBytes(value, maxText)))
	}
	return e
}

// NewLineEntry returns a text field of one line behind a prompt.
func NewLineEntry(value, placeholder, prompt string) *Entry {
	e := newEntry(placeholder, prompt)
	e.oneLine = true
	e.Set(value)
	return e
}

func newEntry(placeholder, prompt string) *Entry {
	a := textarea.New()
	a.SetVirtualCursor(false)
	a.ShowLineNumbers, a.Prompt, a.CharLimit, a.MaxWidth = false, prompt, 0, 0
	a.DynamicHeight, a.MaxHeight = true, 0 // as high as its text
	if placeholder != "" {                 // in brackets, since colour alone tells nothing
		a.Placeholder = "(" + Line(placeholder, 500) + ")"
	}
	// Line breaks are of keys of our own; the terminal copies and pastes, for which bubbles
	// would start a program.
	off := key.NewBinding(key.WithDisabled())
	a.KeyMap.InsertNewline, a.KeyMap.Paste, a.KeyMap.CopySelection = off, off, off
	a.KeyMap.DeleteCharacterBackward.SetKeys("backspace", "shift+backspace", "ctrl+h") // after a capital letter
	return &Entry{area: a, least: 1}
}

// Tall gives the field at least n lines.
func (e *Entry) Tall(n int) *Entry { e.least = n; return e }

// Set replaces the text with one that the user typed before, here or on the page. One that is
// too long to be sent stays; only the user knows what to cut.
func (e *Entry) Set(value string) { e.area.SetValue(Own(cutBytes(value, maxText))) }

// Own is [question.Block] for the user's own text: the space without width and the marks
// of direction stay, which some scripts need. A tab becomes four spaces: the area has none.
func Own(s string) string {
	const kept = "\u200b\u200e\u200f\u061c"
	var b strings.Builder
	for {
		at := strings.IndexAny(s, kept)
		if at < 0 {
			return b.String() + question.Block(s)
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		b.WriteString(question.Block(s[:at]))
		b.WriteString(s[at : at+size])
		s = s[at+size:]
	}
}

// replace is Set for a text from an editor. The error is a sentence for the user.
func (e *Entry) replace(value string) error {
	e.Set(question.Cut(value, question.MaxText))
	n := question.Count(value)
	if n > question.MaxText {
		return errors.New(words.T("Cut to %[1]d characters, as many as are allowed: that was %[2]d.", question.MaxText, n))
	}
	return nil
}

// Text is the text without white space around it.
func (e *Entry) Text() string { return strings.TrimSpace(e.area.Value()) }

// Focus gives the keyboard to the field. The command of bubbles, which makes its own cursor
// blink, is of no use.
func (e *Entry) Focus() { e.area.Focus() }

// Blur takes it away.
func (e *Entry) Blur() { e.area.Blur() }

// Focused reports whether it has the keyboard.
func (e *Entry) Focused() bool { return e.area.Focused() }

// lineEnds are those of a paste: most terminals make each a carriage return, as
// from the keyboard.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n") //nolint:gochecknoglobals // a table, never written to

// Press types a key or a paste. The error is a sentence for the user: a paste is taken
// whole or not at all. Invisible characters of a paste are made visible.
func (e *Entry) Press(msg tea.Msg) error {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		breaks := m.String() == "alt+enter" || m.String() == "shift+enter" || m.String() == "ctrl+j"
		if breaks && e.oneLine {
			return nil
		}
		if breaks {
			msg = tea.PasteMsg{Content: "\n"}
		}
	case tea.PasteMsg:
		if e.oneLine {
			m.Content = strings.Join(strings.Fields(m.Content), " ")
		}
		m.Content = Own(lineEnds.Replace(m.Content))
		n := question.Count(e.area.Value()) + question.Count(m.Content)
		if n > question.MaxText {
			return errors.New(words.T("Too long to paste: that makes %[1]d characters, %[2]d are allowed.", n, question.MaxText))
		}
		msg = m
	}
	e.area, _ = e.area.Update(msg)
	return nil
}

// AtTop reports whether the cursor is on the first line.
func (e *Entry) AtTop() bool { return e.area.Line() == 0 && e.area.LineInfo().RowOffset == 0 }

// visible removes from the drawing what the area counts wrong: the frames of keycaps, for
// which it counts one cell and terminals two, and characters without width.
//
//nolint:gochecknoglobals // a table, never written to
var visible = strings.NewReplacer("\ufe0f\u20e3", "", "\u20e3", "",
	"\u200b", "", "\u200e", "", "\u200f", "", "\u061c", "")

// Draw shows the field, as high as its text, and with the height of Tall at least, in at most
// rows lines. More is scrolled so that the cursor is in view.
func (e *Entry) Draw(s *Styles, width, rows int) Block {
	e.style(s)
	least := e.least
	if e.area.Value() == "" { // bubbles makes no room for a placeholder
		least = max(least, len(Wrap(e.area.Placeholder, width-ansi.StringWidth(e.area.Prompt))))
	}
	e.area.MinHeight = min(least, max(rows, 1))
	e.area.SetWidth(width)
	b := Block{Lines: strings.Split(e.area.View(), "\n"), Cursor: e.area.Cursor()}
	if b.Cursor != nil { // at the end of a full line bubbles counts one too far
		b.Cursor.X = min(b.Cursor.X, width-1)
		b.Top, b.Bottom = b.Cursor.Y, b.Cursor.Y
	}
	b, above, below := b.cut(max(rows, 1)) // first: the rest takes longer
	for i, line := range b.Lines {         // after a keycap bubbles fills up with too much
		b.Lines[i] = ansi.Truncate(mapClusters(visible.Replace(line), plainAsWide), width, "")
	}
	markMore(b.Lines, width, above, below)
	return b
}

func (e *Entry) style(s *Styles) {
	state := textarea.StyleState{Base: lipgloss.NewStyle(), Text: s.Plain, Placeholder: s.Muted, Prompt: s.Border,
		Selection: s.Plain.Reverse(true)}
	if e.oneLine {
		state.Prompt = s.Plain
	}
	cursor := textarea.CursorStyle{Shape: tea.CursorBar, Blink: true}
	e.area.SetStyles(textarea.Styles{Focused: state, Blurred: state, Cursor: cursor})
}
