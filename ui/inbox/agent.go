package inbox

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// goToAgent shows the user the terminal of the agent that asks the selected question.
func (m *model) goToAgent() tea.Cmd {
	r := m.waiting.selected()
	if r == nil || m.goTo == nil {
		return nil
	}
	return func() tea.Msg {
		err := m.goTo(r.rec.Asker.Process())
		if err == nil {
			return nil
		}
		return term.Callback(term.Action(func() {
			m.note = words.T("The agent's terminal cannot be shown: %s", words.T(err.Error()))
		}))
	}
}
