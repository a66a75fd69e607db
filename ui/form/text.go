package form

import (
	"strings"

	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
)

// text answers a question in free text.
type text struct {
	page *page
	area *term.Entry
}

func newText(p *page, s *dialogue.Step) *text {
	t := &text{page: p, area: term.NewEntry(s.Default, s.Placeholder).Tall(3)}
	if s.Typed != s.Default {
		t.area.Set(s.Typed)
	}
	return t
}

func (t *text) renew(s *dialogue.Step) {
	if s.Entered && strings.TrimSpace(s.Typed) != t.area.Text() {
		t.area.Set(s.Typed)
	}
}

func (t *text) typed() {
	if s := t.page.step(); strings.TrimSpace(s.Typed) == t.area.Text() {
		t.page.act(dialogue.Touch{})
	} else {
		t.page.act(dialogue.Text{Text: t.area.Text()})
	}
}

func (t *text) focus()             { t.area.Focus() }
func (t *text) blur()              { t.area.Blur() }
func (t *text) entry() *term.Entry { return t.area }
func (t *text) keep() func()       { return t.area.Keep() }

func (t *text) draw(s *term.Styles, width, rows int) term.Block { return t.area.Draw(s, width, rows) }

func (t *text) bindings(string) (keys term.Bindings, only bool) {
	return append(term.Bindings{{Keys: "enter", Do: t.page.next}}, writing()...), false
}
