package form

import (
	"errors"
	"io"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// The methods by which a page is a huh.Field.

// Update implements huh.Field.
func (p *page) Update(msg tea.Msg) (huh.Model, tea.Cmd) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if do := p.find(msg); do != nil {
			return p, do()
		}
	}
	return p, nil
}

// View implements huh.Field.
func (p *page) View() string {
	if p.width == 0 {
		return "" // its size is not known yet
	}
	b := p.draw()
	p.cursor = b.Cursor
	return strings.Join(b.Lines, "\n")
}

// KeyBinds implements huh.Field.
func (p *page) KeyBinds() []key.Binding {
	if p.width == 0 {
		return nil
	}
	return p.form.hints()
}

func (p *page) Focus() tea.Cmd { p.focus(); return nil }
func (p *page) Blur() tea.Cmd  { p.blur(); return nil }
func (p *page) Error() error   { return p.fault }

func (p *page) GetKey() string { return p.id }

// GetValue implements huh.Field: the answer so far.
func (p *page) GetValue() any {
	if s := p.step(); s != nil {
		return s.Answer
	}
	return nil
}

// WithWidth implements huh.Field.
func (p *page) WithWidth(cells int) huh.Field { p.width = cells; return p }

// WithHeight implements huh.Field.
func (p *page) WithHeight(lines int) huh.Field { p.height = lines; return p }

// A page has neither a first look nor a place among others, its keys and styles are the
// form's, and it never runs by itself: screen readers have the line form.

func (p *page) Init() tea.Cmd                            { return nil }
func (p *page) Skip() bool                               { return false }
func (p *page) Zoom() bool                               { return false }
func (p *page) Run() error                               { return errors.ErrUnsupported }
func (p *page) RunAccessible(io.Writer, io.Reader) error { return errors.ErrUnsupported }
func (p *page) WithTheme(huh.Theme) huh.Field            { return p }
func (p *page) WithKeyMap(*huh.KeyMap) huh.Field         { return p }
func (p *page) WithPosition(huh.FieldPosition) huh.Field { return p }
