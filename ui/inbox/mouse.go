package inbox

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// click selects the row under the pointer, and opens the one that is selected.
// On the tabs it shows the other. What came there just now takes no click, and
// none is an answer.
func (m *model) click(c tea.MouseClickMsg) tea.Cmd {
	id, ok := m.pointer.Click(m.Now(), c.X, c.Y)
	if c.Button != tea.MouseLeft || !ok || m.notice != "" || m.dismissal != nil {
		return nil
	}
	var left tea.Cmd
	if m.note = ""; m.answer != nil {
		left = m.pressForm(leave())
		if m.answer != nil { // it is sending
			return left
		}
	}
	was := m.reader == nil && left == nil
	m.reader = nil
	if id == "" {
		return tea.Batch(left, m.switchTab())
	}
	l := m.list()
	i := slices.IndexFunc(l.rows, func(r *row) bool { return r.rec.ID == id })
	switch {
	case i < 0:
		return left
	case i != l.at || !was:
		return tea.Batch(left, m.moveTo(i))
	case !m.past && l.rows[i].rec.Outcome == nil:
		return m.loadForm(id, formStart{})
	}
	m.read(l.rows[i])
	return nil
}

// wheel scrolls what is under the pointer; in a list it moves the cursor.
func (m *model) wheel(w tea.MouseWheelMsg) tea.Cmd {
	key := tea.KeyPressMsg{Code: tea.KeyDown}
	switch w.Button {
	case tea.MouseWheelDown:
	case tea.MouseWheelUp:
		key = tea.KeyPressMsg{Code: tea.KeyUp}
	default:
		return nil
	}
	list, front := m.layout()
	switch inFront := front > 0 && w.X >= list; {
	case m.answer != nil, m.notice != "", m.dismissal != nil:
	case m.reader != nil && inFront:
		m.reader.Press(key)
	case inFront:
		m.pane.Press(key)
	default:
		to, _ := m.list().target(key.String())
		return m.moveTo(to)
	}
	return nil
}
