package inbox

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// lift lifts the limit of rounds for a session.
func (m *model) lift(session string) tea.Cmd {
	return func() tea.Msg {
		m.writes.RLock()
		defer m.writes.RUnlock()
		text := words.T(words.LimitLifted)
		if err := m.desk.Lift(m.ctx, session); err != nil {
			text = words.Local.LimitStays(err)
		}
		return term.Then(term.Only(func() { m.note = text }))
	}
}

// liftKey lifts the limit for the session of a refused call, off where there is
// none.
func (m *model) liftKey(rec *desk.Record) term.Binding {
	return term.Binding{
		Keys: "L", Hint: words.T("lift the limit"), Help: words.T("let the agent of a call that was refused (!) go on asking"), Off: rec == nil,
		Do: func() tea.Cmd { return m.lift(rec.SessionID) },
	}
}
