package inbox

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// dismissal asks whether to dismiss a record, or to discuss it first, and why.
type dismissal struct {
	*term.Dismissal
	id      string
	sending bool
}

// askDismissal asks whether to dismiss what is selected, or to discuss it first. What is
// typed next is for that.
func (m *model) askDismissal(end term.Decision) tea.Cmd {
	rec := m.waiting.selected().rec
	m.dismissal = &dismissal{Dismissal: term.NewDismissal(subject(rec)), id: rec.ID}
	m.dismissal.Open(end)
	return m.Appear(act.Opened)
}

func (m *model) pressDismissal(msg tea.Msg) tea.Cmd {
	d := m.dismissal
	if d.sending {
		return nil
	}
	if key, _ := msg.(tea.KeyPressMsg); key.String() == term.EditKey {
		return m.Edit(d.Entry())
	}
	decision, err := d.Press(msg)
	switch {
	case err != nil:
		m.note = err.Error()
	case decision == term.GoBack:
		m.dismissal = nil
		return m.Appear(act.Opened)
	case decision != term.Undecided:
		d.sending = true
		reply := question.Reply{Dismissed: true, Reason: d.Reason()}
		if decision == term.Discuss {
			reply = question.Reply{Discuss: true, Note: d.Reason()}
		}
		reply.Took = m.Now().Sub(m.Appeared)
		return func() tea.Msg {
			err := m.reply(d.id, reply)
			return term.Then(func() tea.Cmd { return m.dismissed(err) })
		}
	}
	return nil
}

// dismissed handles the result of a dismissal. What failed can be tried again; where another
// answer was first, a notice says so.
func (m *model) dismissed(err error) tea.Cmd {
	d := m.dismissal
	switch {
	case err == nil, errors.As(err, new(*desk.ClosedError)):
		m.waiting.remove(d.id)
	default:
		d.sending = false
		m.note = words.T("Not sent: %s. Enter tries again.", question.Line(err.Error()))
		if errors.Is(err, desk.ErrUnsent) {
			m.note = words.Local.Kept(err)
		}
		return nil
	}
	if err != nil {
		return m.showNotice(words.Local.Withdrawal(err))
	}
	m.note = words.T(words.Dismissed)
	if d.Decides == term.Discuss {
		m.note = words.T(words.Discussed)
	}
	m.dismissal = nil
	return m.returnToList()
}

// endDismissal closes the question whether to dismiss a record that has ended.
func (m *model) endDismissal(rec desk.Record) tea.Cmd {
	d := m.dismissal
	if d == nil || d.sending || d.id != rec.ID {
		return nil
	}
	return m.showNotice(words.Local.Withdrawal(&desk.ClosedError{ID: rec.ID, Outcome: *rec.Outcome}))
}
