package form

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// text answers a question in free text.
type text struct {
	ask  *question.Question
	area *term.Entry
}

func newText(q *question.Question) *text {
	return &text{q, term.NewEntry(q.Default, q.Placeholder).Tall(3)}
}

func (t *text) answer() question.Answer {
	return question.Answer{QuestionID: t.ask.ID, Custom: t.area.Text(), By: question.ByUser}
}

func (t *text) need() string              { return words.T("type one, then press enter.") }
func (t *text) draft() question.Answer    { return t.answer() }
func (t *text) restore(a question.Answer) { t.area.Set(a.Custom) }
func (t *text) focus()                    { t.area.Focus() }
func (t *text) blur()                     { t.area.Blur() }
func (t *text) keep() (back func())       { return t.area.Keep() }
func (t *text) entry() *term.Entry        { return t.area }

func (t *text) draw(s *term.Styles, width, rows int) term.Block { return t.area.Draw(s, width, rows) }

func (t *text) bind(msg tea.Msg) does {
	key, _ := msg.(tea.KeyPressMsg)
	switch key.String() {
	case "enter", "esc", "shift+tab":
		return nil
	}
	return types(t.area, msg)
}

func (t *text) hints() ([]term.Hint, bool) { return writingHints(onward), false }
