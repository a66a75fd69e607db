package term

import (
	"errors"
	"os"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Entry is a place to type text. It is the bubbles text area for every kind of
// text, because the one-line input counts its cursor in characters, not cells,
// which puts it in the wrong place in Chinese.
type Entry struct {
	area    textarea.Model
	oneLine bool
	edited  bool   // in an editor
	left    string // the file that an editor has left; empty for none
}

// NewEntry returns an entry that does not have the keyboard yet. The value and the
// placeholder may come from outside.
func NewEntry(value, placeholder string) *Entry {
	a := textarea.New()
	a.ShowLineNumbers = false
	a.Prompt = "┃ "
	if placeholder != "" { // in brackets, since colour alone tells nothing
		a.Placeholder = "(" + Line(placeholder, 500) + ")"
	}
	a.MaxWidth = 0
	// The area drops lines silently when it is full: let it never be full.
	a.DynamicHeight, a.MaxContentHeight = true, 1<<30
	a.SetVirtualCursor(false)
	a.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("alt+enter", "shift+enter", "ctrl+j"))
	// The terminal pastes; these would start a clipboard program of their own.
	a.KeyMap.Paste.SetEnabled(false)
	a.KeyMap.CopySelection.SetEnabled(false)
	e := &Entry{area: a}
	if value != "" { // it costs
		e.Set(question.Block(cutBytes(value, maxText)))
	}
	return e
}

// OneLine keeps the entry to one line behind a prompt.
func (e *Entry) OneLine(prompt string) *Entry {
	e.area.Prompt, e.oneLine = prompt, true
	e.area.KeyMap.InsertNewline.SetEnabled(false)
	return e
}

// Tall gives the entry at least n lines.
func (e *Entry) Tall(n int) *Entry { e.area.MinHeight = n; return e }

// Set replaces what was typed with what the human has typed before. More than may be
// typed is cut; nothing else changes that can be typed, since it may become the
// answer.
func (e *Entry) Set(value string) {
	e.area.SetValue(question.Cut(Own(cutBytes(value, maxText)), question.MaxText))
}

// Own is [question.Block] for the human's own text: what no script is written without
// stays, the space of no width between words, and the marks of direction. A tab
// becomes four spaces too: the area has none.
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

// replace is Set for what the human has written elsewhere, which may stand in a file
// too. The error is a sentence for them.
func (e *Entry) replace(value, left string) error {
	e.edited, e.left = e.edited || value != e.area.Value(), left
	e.Set(value)
	if n := question.Count(value); n > question.MaxText {
		return errors.New(words.T("Cut to %[1]d characters, as many as are allowed: that was %[2]d.", question.MaxText, n))
	}
	return nil
}

// leave returns the file with what was written in an editor, empty where nothing
// was. Save has one made where the text stands in none.
func (e *Entry) leave(save bool) string {
	if !save || e.left != "" || !e.edited || e.Text() == "" {
		return e.left
	}
	file, err := os.CreateTemp("", "answer-*.md")
	if err != nil {
		return ""
	}
	if _, err := file.WriteString(e.Text()); errors.Join(err, file.Close()) == nil {
		e.left = file.Name()
	}
	return e.left
}

// Text is what was typed, without white space around it.
func (e *Entry) Text() string { return strings.TrimSpace(e.area.Value()) }

// Focus gives the keyboard to the entry.
func (e *Entry) Focus() { e.area.Focus() }

// Blur takes it away.
func (e *Entry) Blur() { e.area.Blur() }

// Focused reports whether it has the keyboard.
func (e *Entry) Focused() bool { return e.area.Focused() }

// AtTop reports whether the cursor is in the first line.
func (e *Entry) AtTop() bool { return e.area.Line() == 0 }

// Keep remembers what was typed; the function it returns goes back to that.
func (e *Entry) Keep() (back func()) {
	value, focused := e.area.Value(), e.area.Focused()
	return func() {
		if e.area.Value() != value {
			e.area.SetValue(value)
		}
		if e.Blur(); focused {
			e.Focus()
		}
	}
}

// lineEnds are those of a paste: most terminals make each a carriage return, as
// from the keyboard.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n") //nolint:gochecknoglobals // a table, never written to

// Press types a key or a paste. The error is a sentence for the human: a paste
// is taken whole or not at all. What a paste hides is made visible.
func (e *Entry) Press(msg tea.Msg) error {
	if p, ok := msg.(tea.PasteMsg); ok {
		if e.oneLine {
			p.Content = strings.Join(strings.Fields(p.Content), " ")
		}
		p.Content = Own(lineEnds.Replace(p.Content))
		if n := question.Count(e.area.Value()) + question.Count(p.Content); n > question.MaxText {
			return errors.New(words.T("Too long to paste: that makes %[1]d characters, %[2]d are allowed.", n, question.MaxText))
		}
		msg = p
	}
	e.area, _ = e.area.Update(msg) // its commands make a cursor blink that is the terminal's here
	return nil
}

// drawn is what the area shows as it is drawn: keycaps as what they cover, since it
// counts one cell for each, and others two; and nothing that nobody sees.
var drawn = strings.NewReplacer("\ufe0f\u20e3", "", "\u20e3", "", //nolint:gochecknoglobals // a table, never written to
	"\u200b", "", "\u200e", "", "\u200f", "", "\u061c", "")

// Draw shows the entry in at most rows lines.
func (e *Entry) Draw(s *Styles, width, rows int) Block {
	e.area.SetStyles(s.entry())
	e.area.MaxHeight = max(rows, 1)
	e.area.SetWidth(width)
	b := Block{Lines: strings.Split(drawn.Replace(e.area.View()), "\n"), Cursor: e.area.Cursor()}
	for i, line := range b.Lines { // after a keycap the area fills up with too much
		b.Lines[i] = ansi.Truncate(line, width, "")
	}
	if b.Cursor != nil { // at the end of a full line the area counts one too far
		b.Cursor.X = min(b.Cursor.X, width-1)
		b.Top, b.Bottom = b.Cursor.Y, b.Cursor.Y
	}
	return b
}
