package form

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

// entry is a place to type text. It is the bubbles text area for every kind of
// text, because the one-line input counts its cursor in characters, not cells,
// which puts it in the wrong place in Chinese.
type entry struct {
	area textarea.Model
}

func newEntry(value, placeholder string) *entry {
	a := textarea.New()
	a.ShowLineNumbers = false
	a.Prompt = "┃ "
	if placeholder != "" { // in brackets, since colour alone tells nothing
		a.Placeholder = "(" + question.Line(placeholder) + ")"
	}
	a.MaxWidth = 0
	// The area drops lines silently when it is full: let it never be full.
	a.DynamicHeight, a.MaxContentHeight = true, 1<<30
	a.SetVirtualCursor(false)
	a.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("alt+enter", "shift+enter", "ctrl+j"))
	// The terminal pastes; these would start a clipboard program of their own.
	a.KeyMap.Paste.SetEnabled(false)
	a.KeyMap.CopySelection.SetEnabled(false)
	e := &entry{a}
	e.set(value)
	return e
}

// set replaces what was typed.
func (e *entry) set(value string) { e.area.SetValue(question.Block(value)) }

// tall gives the entry at least n lines.
func (e *entry) tall(n int) *entry { e.area.MinHeight = n; return e }

// text is what was typed, without white space around it.
func (e *entry) text() string { return strings.TrimSpace(e.area.Value()) }

func (e *entry) focus() { e.area.Focus() }
func (e *entry) blur()  { e.area.Blur() }

// press types a key or a paste. The error is for the human: a paste is taken
// whole or not at all.
func (e *entry) press(msg tea.Msg) (tea.Cmd, error) {
	if p, ok := msg.(tea.PasteMsg); ok {
		p.Content = strings.ReplaceAll(p.Content, "\r\n", "\n")
		if n := question.Count(e.area.Value()) + question.Count(p.Content); n > question.MaxText {
			return nil, fault(fmt.Sprintf("Too long to paste: that makes %d characters, %d are allowed.", n, question.MaxText))
		}
		msg = p
	}
	var cmd tea.Cmd
	e.area, cmd = e.area.Update(msg)
	return cmd, nil
}

// draw shows the entry in at most rows lines.
func (e *entry) draw(l *look, width, rows int) sheet {
	e.area.SetStyles(l.area())
	e.area.MaxHeight = max(rows, 1)
	e.area.SetWidth(width)
	s := sheet{lines: strings.Split(e.area.View(), "\n"), cursor: e.area.Cursor()}
	if s.cursor != nil { // at the end of a full line the area counts one too far
		s.cursor.X = min(s.cursor.X, width-1)
		s.top, s.bottom = s.cursor.Y, s.cursor.Y
	}
	return s
}
