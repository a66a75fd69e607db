package inbox

import (
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

// entry is a place to type a line of text. It is the bubbles text area, since
// the one-line input counts its cursor in characters, not cells, which puts it
// in the wrong place in Chinese.
type entry struct{ area textarea.Model }

func newEntry(prompt, value, placeholder string) *entry {
	a := textarea.New()
	a.ShowLineNumbers = false
	a.Prompt = prompt
	if placeholder != "" { // in brackets, since colour alone tells nothing
		a.Placeholder = "(" + placeholder + ")"
	}
	a.MaxWidth = 0
	a.DynamicHeight, a.MaxContentHeight = true, 1<<30
	a.SetVirtualCursor(false)
	a.KeyMap.InsertNewline.SetEnabled(false)
	// The terminal pastes; these would start a clipboard program of their own.
	a.KeyMap.Paste.SetEnabled(false)
	a.KeyMap.CopySelection.SetEnabled(false)
	a.SetValue(value)
	a.Focus()
	return &entry{a}
}

// text is what was typed, without white space around it.
func (e *entry) text() string { return strings.TrimSpace(e.area.Value()) }

// press types a key or a paste, whose line breaks become blanks and which is
// shown for what it is. What would be longer than a text may be is not taken.
func (e *entry) press(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(tea.PasteMsg); ok {
		p.Content = question.Line(strings.Join(strings.Fields(p.Content), " "))
		if question.Count(e.area.Value())+question.Count(p.Content) > question.MaxText {
			return nil
		}
		msg = p
	}
	var cmd tea.Cmd
	e.area, cmd = e.area.Update(msg)
	return cmd
}

// draw shows the entry in at most rows lines.
func (e *entry) draw(l *look, width, rows int) ([]string, *tea.Cursor) {
	e.area.SetStyles(l.area())
	e.area.MaxHeight = max(rows, 1)
	e.area.SetWidth(width)
	cursor := e.area.Cursor()
	if cursor != nil { // at the end of a full line the area counts one too far
		cursor.X = min(cursor.X, width-1)
	}
	return strings.Split(e.area.View(), "\n"), cursor
}
