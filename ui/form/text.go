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
func (t *text) typing() bool              { return true }

func (t *text) draw(s *term.Styles, width, rows int) term.Block { return t.entry.Draw(s, width, rows) }

func (t *text) press(msg tea.Msg) (action, tea.Cmd, error) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			return confirm, nil, nil
		case "esc":
			return dismiss, nil, nil
		case "shift+tab":
			return back, nil, nil
		}
	}
	cmd, err := t.entry.Press(msg)
	return none, cmd, err
}

func (t *text) hints() ([]term.Hint, bool) {
	return []term.Hint{{"enter", onward}, {"alt+enter", "new line"}}, false
}
