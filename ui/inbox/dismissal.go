package inbox

import (
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// dismissal asks whether to close a record without an answer, and why.
type dismissal struct {
	rec     desk.Record
	reason  *entry
	sending bool
	fault   string // why it failed
}

// dismissed is the message that a dismissal has been put on the desk, or not.
type dismissed struct {
	id  string
	err error
}

func newDismissal(rec desk.Record) *dismissal {
	return &dismissal{rec: rec, reason: newEntry("┃ ", "", "Why, if you like: the agent reads it")}
}

func (d *dismissal) hints() []hint {
	if d.sending {
		return []hint{{"…", "sending"}}
	}
	return []hint{{"enter", "dismiss"}, {"esc", "back"}}
}

func (d *dismissal) draw(l *look, width, rows int) sheet {
	lines := each(l.strong, wrap("Dismiss without answering?", width))
	lines = append(lines, each(l.muted, wrap(cut(subject(d.rec), 2*width), width))...)
	lines = append(lines, "")
	typed, cursor := d.reason.draw(l, width, rows-len(lines))
	s := sheet{lines: append(lines, typed...), cursor: shift(cursor, 0, len(lines))}
	if d.fault != "" {
		s.lines = append(s.lines, each(l.fault, wrap("! "+d.fault, width))...)
	}
	return s
}

// pressDismissal handles a key or a paste while asking whether to dismiss.
func (m *model) pressDismissal(msg tea.Msg) tea.Cmd {
	d := m.dismissal
	if d.sending {
		return nil
	}
	key, _ := msg.(tea.KeyPressMsg)
	switch key.String() {
	case "esc":
		m.dismissal = nil
		return nil
	case "enter":
		d.sending, d.fault = true, ""
		return m.dismiss(d.rec.ID, d.reason.text())
	}
	d.fault = ""
	return d.reason.press(msg)
}

func (m *model) dismiss(id, reason string) tea.Cmd {
	return func() tea.Msg {
		return dismissed{id, m.reply(id, question.Reply{Dismissed: true, Reason: reason})}
	}
}
