package form

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

// text answers a question in free text.
type text struct {
	ask   *question.Question
	entry *term.Entry
}

func newText(q *question.Question) *text {
	return &text{q, term.NewEntry(q.Default, q.Placeholder).Tall(3)}
}

func (t *text) answer() question.Answer {
	return question.Answer{QuestionID: t.ask.ID, Custom: t.entry.Text(), By: question.ByUser}
}

func (t *text) need() string              { return "type one, then press enter." }
func (t *text) draft() question.Answer    { return t.answer() }
func (t *text) restore(a question.Answer) { t.entry.Set(a.Custom) }
func (t *text) focus()                    { t.entry.Focus() }
func (t *text) blur()                     { t.entry.Blur() }
func (t *text) keep() (back func())       { return t.entry.Keep() }
func (t *text) typing() bool              { return true }

func (t *text) draw(s *term.Styles, width, rows int) term.Block { return t.entry.Draw(s, width, rows) }

func (t *text) bind(msg tea.Msg) does {
	key, _ := msg.(tea.KeyPressMsg)
	switch key.String() {
	case "enter":
		return asks(confirm)
	case "esc":
		return asks(dismiss)
	case "shift+tab":
		return asks(back)
	}
	return func() (action, error) { return none, t.entry.Press(msg) }
}

func (t *text) hints() ([]term.Hint, bool) {
	return []term.Hint{{"enter", onward}, {"alt+enter", "new line"}}, false
}
