package term

import (
	"errors"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Entry is a place to type text: a huh text field, or a huh input where it has one line.
// huh draws the cursor as text; the terminal's own takes its place, since an input
// method shows its candidates there.
type Entry struct {
	field   huh.Field
	value   string // of the field
	styles  *Styles
	least   int // lines
	focused bool
	edited  bool   // in an editor
	left    string // file that an editor has left; empty for none
	drawn   drawing
}

// drawing is the last result of Draw: forms draw several times for a key, and huh takes
// milliseconds for a long text.
type drawing struct {
	styles      *Styles // nil after a change of the entry
	width, rows int
	block       Block
}

// clone returns the block for a caller that may change it.
func (d *drawing) clone() Block {
	b := d.block
	b.Lines = slices.Clone(b.Lines)
	if b.Cursor != nil {
		b.Cursor = new(*b.Cursor)
	}
	return b
}

// update passes a message to huh. Its commands, which make a cursor blink, are dropped: the
// cursor is the terminal's.
func (e *Entry) update(msg tea.Msg) {
	e.drawn.styles = nil
	e.field.Update(msg)
}

// maxLines is the most lines of a text that an entry shows at a time, and the most
// that huh takes.
const maxLines = 99

// NewEntry returns an entry that does not have the keyboard yet. The value and the
// placeholder may come from outside.
func NewEntry(value, placeholder string) *Entry {
	e := &Entry{least: 1, styles: NewStyles(true)}
	e.field = huh.NewText().Placeholder(inBrackets(placeholder)).ExternalEditor(false).Lines(maxLines).Value(&e.value).WithTheme(e)
	if value != "" { // it costs
		e.Set(question.Block(cutBytes(value, maxText)))
	}
	return e
}

// NewLineEntry returns an entry of one line behind a prompt.
func NewLineEntry(value, placeholder, prompt string) *Entry {
	e := &Entry{least: 1, styles: NewStyles(true)}
	e.field = huh.NewInput().Placeholder(inBrackets(placeholder)).Prompt(prompt).Value(&e.value).WithTheme(e)
	e.Set(value)
	return e
}

// inBrackets marks a placeholder, since colour alone tells nothing.
func inBrackets(placeholder string) string {
	if placeholder == "" {
		return ""
	}
	return "(" + Line(placeholder, 500) + ")"
}

// Theme implements huh.Theme.
func (e *Entry) Theme(bool) *huh.Styles {
	t := e.styles.Huh()
	if e.oneLine() {
		t.Focused.Base, t.Blurred.Base = e.styles.Plain, e.styles.Plain
	}
	return t
}

func (e *Entry) oneLine() bool { _, ok := e.field.(*huh.Input); return ok }

// Tall gives the entry at least n lines.
func (e *Entry) Tall(n int) *Entry { e.least = n; return e }

// Set replaces the text with one that the human typed before. A text that is too long is
// cut; all characters that can be typed stay, since it may become the answer.
func (e *Entry) Set(value string) {
	e.put(question.Cut(Own(cutBytes(value, maxText)), question.MaxText))
}

func (e *Entry) put(value string) {
	e.value, e.drawn.styles = value, nil
	switch f := e.field.(type) {
	case *huh.Text:
		f.Value(&e.value)
	case *huh.Input:
		f.Value(&e.value)
	}
}

// Own is [question.Block] for the human's own text: the space without width and the marks
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

// replace is Set for a text from an editor, which may have left it in a file too. The error
// is a sentence for the human.
func (e *Entry) replace(value, left string) error {
	e.edited, e.left = e.edited || value != e.value, left
	e.Set(value)
	if n := question.Count(value); n > question.MaxText {
		return errors.New(words.T("Cut to %[1]d characters, as many as are allowed: that was %[2]d.", question.MaxText, n))
	}
	return nil
}

// leave returns the file with the text from an editor, empty for none. With save it writes
// one if no file has the text.
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

// Text is the text without white space around it.
func (e *Entry) Text() string { return strings.TrimSpace(e.value) }

// Focus gives the keyboard to the entry.
func (e *Entry) Focus() { e.focused, e.drawn.styles = true, nil; e.field.Focus() }

// Blur takes it away.
func (e *Entry) Blur() { e.focused, e.drawn.styles = false, nil; e.field.Blur() }

// Focused reports whether it has the keyboard.
func (e *Entry) Focused() bool { return e.focused }

// Keep saves the text; the function it returns restores it.
func (e *Entry) Keep() (back func()) {
	value, focused := e.value, e.focused
	return func() {
		if e.value != value {
			e.put(value)
		}
		if e.Blur(); focused {
			e.Focus()
		}
	}
}

// lineEnds are those of a paste: most terminals make each a carriage return, as
// from the keyboard.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n") //nolint:gochecknoglobals // a table, never written to

// Press types a key or a paste. The error is a sentence for the human: a paste is taken
// whole or not at all. Invisible characters of a paste are made visible.
func (e *Entry) Press(msg tea.Msg) error {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		switch m.String() {
		case "alt+enter", "shift+enter", "ctrl+j":
			if e.oneLine() {
				return nil
			}
			msg = tea.PasteMsg{Content: "\n"} // a key makes no more lines than fit on a screen
		case "ctrl+v", "ctrl+shift+c": // the terminal pastes and copies; huh would start a program for it
			return nil
		}
	case tea.PasteMsg:
		if e.oneLine() {
			m.Content = strings.Join(strings.Fields(m.Content), " ")
		}
		m.Content = Own(lineEnds.Replace(m.Content))
		if n := question.Count(e.value) + question.Count(m.Content); n > question.MaxText {
			return errors.New(words.T("Too long to paste: that makes %[1]d characters, %[2]d are allowed.", n, question.MaxText))
		}
		msg = m
	}
	e.update(msg)
	return nil
}

// Moves presses a key that moves the cursor, and reports whether it did.
func (e *Entry) Moves(msg tea.Msg) bool {
	before := e.field.View()
	e.update(msg)
	return e.field.View() != before
}

// visible removes from the drawing what the area counts wrong: the frames of keycaps, for
// which it counts one cell and terminals two, and characters without width.
var visible = strings.NewReplacer("\ufe0f\u20e3", "", "\u20e3", "", //nolint:gochecknoglobals // a table, never written to
	"\u200b", "", "\u200e", "", "\u200f", "", "\u061c", "")

// Draw shows the entry, as high as its text, and with the height of Tall at least, up to rows.
func (e *Entry) Draw(s *Styles, width, rows int) Block {
	if d := &e.drawn; d.styles != s || d.width != width || d.rows != rows {
		*d = drawing{s, width, rows, e.draw(s, width, rows)}
	}
	return e.drawn.clone()
}

func (e *Entry) draw(s *Styles, width, rows int) Block {
	e.styles = s
	e.field.WithWidth(width)
	e.high(width)
	defer e.high(0)
	view, cursor := takeCursor(e.field.View())
	b := Block{Lines: strings.Split(visible.Replace(view), "\n"), Cursor: cursor}
	lines := max(min(e.least, rows), 1)
	if cursor != nil { // at the end of a full line huh counts one too far
		cursor.X = min(cursor.X, width-1)
		b.Top, b.Bottom = cursor.Y, cursor.Y
		lines = max(lines, cursor.Y+1)
	}
	for i, line := range b.Lines { // after a keycap huh fills up with too much
		b.Lines[i] = ansi.Truncate(line, width, "")
		if strings.TrimSpace(strings.TrimPrefix(ansi.Strip(line), entryBorder)) != "" {
			lines = max(lines, i+1)
		}
	}
	b.Lines = b.Lines[:min(lines, len(b.Lines))]
	return b
}

// high makes the field as high as its text may be at this width; 0 is the maximum. huh
// scrolls a lower field, and never back.
func (e *Entry) high(width int) {
	text, ok := e.field.(*huh.Text)
	if !ok {
		return
	}
	lines := maxLines
	if width > 0 {
		lines = e.least
		for line := range strings.SplitSeq(e.value, "\n") {
			lines += 1 + 2*ansi.StringWidth(line)/width
		}
	}
	text.Lines(min(lines, maxLines))
}

// takeCursor removes the cursor from a drawing of huh: the one reversed cell.
func takeCursor(view string) (string, *tea.Cursor) {
	const begin, end = "\x1b[7m", "\x1b[m"
	before, after, found := strings.Cut(view, begin)
	if !found {
		return view, nil
	}
	cursor := tea.NewCursor(ansi.StringWidth(before[strings.LastIndexByte(before, '\n')+1:]), strings.Count(before, "\n"))
	cursor.Shape = tea.CursorBar
	return before + strings.Replace(after, end, "", 1), cursor
}
