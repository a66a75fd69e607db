package form

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
)

// text answers a question in free text.
type text struct {
	ask *question.Question
	*entry
}

func newText(q *question.Question) *text {
	return &text{q, newEntry(q.Default, q.Placeholder).tall(3)}
}

func (t *text) answer() question.Answer {
	return question.Answer{QuestionID: t.ask.ID, Custom: t.text(), By: question.ByUser}
}

func (t *text) press(msg tea.Msg) (wish, tea.Cmd, error) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			return take, nil, nil
		case "esc":
			return leave, nil, nil
		case "shift+tab":
			return back, nil, nil
		}
	}
	cmd, err := t.entry.press(msg)
	return stay, cmd, err
}

func (t *text) hints() ([]hint, bool) {
	return []hint{{"enter", onward}, {"alt+enter", "new line"}}, false
}
