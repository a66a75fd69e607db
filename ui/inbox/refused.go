package inbox

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// readRefused reads which calls were refused for the limit of rounds. A failure shows
// elsewhere.
func (m *model) readRefused() tea.Msg {
	refused, err := m.desk.Refused(m.ctx)
	if err != nil {
		return nil
	}
	return term.Then(term.Only(func() { m.refused = refused }))
}

func (m *model) lift(session string) tea.Cmd {
	return func() tea.Msg {
		m.writes.RLock()
		defer m.writes.RUnlock()
		text := words.T(words.LimitLifted)
		if err := m.desk.Lift(m.ctx, session); err != nil {
			text = words.Local.LimitStays(err)
		}
		return term.Then(func() tea.Cmd { m.note = text; return m.readRefused })
	}
}

// liftKey lifts the limit for the session of a refused call, off where there is
// none.
func (m *model) liftKey(rec *desk.Record, hint string) term.Binding {
	return term.Binding{
		Keys: "L", Hint: hint, Help: words.T("let the agent of a call that was refused (!) go on asking"), Off: rec == nil,
		Do: func() tea.Cmd { return m.lift(rec.SessionID) },
	}
}

func (m *model) lastRefused() *desk.Record {
	if len(m.refused) == 0 {
		return nil
	}
	return &m.refused[0]
}

// drawRefused is a line about the call that was refused last, and the key that
// lifts the limit while it does.
func (m *model) drawRefused(width int) []string {
	rec := m.lastRefused()
	if rec == nil || m.past {
		return nil
	}
	key, more := "", ""
	if !m.covered() {
		key = " · " + words.T("L lifts the limit")
	}
	if n := len(m.refused) - 1; n > 0 {
		more = " · " + words.N(n, "%d more", "%d more")
	}
	text := "! " + words.T("%[1]s asked too often in a row: %[2]s", words.Local.Asker(rec.Asker), subject(*rec))
	if width < 2*ansi.StringWidth(key+more) && key != "" {
		key, more = " · "+words.T("L lifts"), ""
	}
	return []string{m.Styles.Muted.Render(term.Cut(text, width-ansi.StringWidth(key+more)) + key + more)}
}
