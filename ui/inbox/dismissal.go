package inbox

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// dismissal asks whether to dismiss records, or to discuss one first, and why.
type dismissal struct {
	*term.Dismissal
	ids     []string
	sending bool
}

// askDismissal asks whether to dismiss what is marked, or else what is selected, or whether
// to discuss that first. What is typed next is for that.
func (m *model) askDismissal(end term.Decision) tea.Cmd {
	rows := m.waiting.marked()
	if len(rows) == 0 {
		rows = []*row{m.waiting.selected()}
	}
	description := subject(rows[0].rec)
	if len(rows) > 1 {
		description = words.T("%[1]d questions, one reason for all: %[2]s", len(rows), description)
	}
	m.dismissal = &dismissal{Dismissal: term.NewDismissal(description)}
	m.dismissal.Open(end)
	for _, r := range rows {
		m.dismissal.ids = append(m.dismissal.ids, r.rec.ID)
	}
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
		ids, reply := slices.Clone(d.ids), question.Reply{Dismissed: true, Reason: d.Reason()}
		if decision == term.Discuss {
			reply = question.Reply{Discuss: true, Note: d.Reason()}
		}
		reply.Took = m.Now().Sub(m.Appeared)
		return func() tea.Msg {
			errs := make([]error, len(ids))
			for i, id := range ids {
				errs[i] = m.reply(id, reply)
			}
			return term.Then(func() tea.Cmd { return m.dismissed(ids, errs) })
		}
	}
	return nil
}

// dismissed handles the results of dismissals. What failed can be tried again; where
// another answer was first in all of them, a notice says so.
func (m *model) dismissed(ids []string, errs []error) tea.Cmd {
	done := 0
	var first, failed error
	for i, err := range errs {
		switch {
		case err == nil:
			done++
			m.waiting.remove(ids[i])
		case errors.As(err, new(*desk.ClosedError)):
			first = err
		default:
			failed = err
			continue
		}
		m.dismissal.drop(ids[i])
	}
	switch {
	case failed != nil:
		m.dismissal.sending = false
		m.note = words.T("Not sent: %s. Enter tries again.", question.Line(failed.Error()))
		if errors.Is(failed, desk.ErrUnsent) {
			m.note = words.Local.Kept(failed)
		}
		return nil
	case done == 0:
		return m.showNotice(words.Local.Withdrawal(first))
	}
	m.note = words.T(words.Dismissed)
	if m.dismissal.Decides == term.Discuss {
		m.note = words.T(words.Discussed)
	}
	if m.dismissal = nil; len(ids) > 1 {
		m.note = words.T("%[1]d of %[2]d dismissed.", done, len(ids))
	}
	return m.returnToList()
}

func (d *dismissal) drop(id string) {
	d.ids = slices.DeleteFunc(d.ids, func(other string) bool { return other == id })
}

// endDismissal takes a record that has ended out of the question whether to dismiss, and
// closes that with the last.
func (m *model) endDismissal(rec desk.Record) tea.Cmd {
	d := m.dismissal
	if d == nil || d.sending || !slices.Contains(d.ids, rec.ID) {
		return nil
	}
	text := words.Local.Withdrawal(&desk.ClosedError{ID: rec.ID, Outcome: *rec.Outcome})
	if d.drop(rec.ID); len(d.ids) == 0 {
		return m.showNotice(text)
	}
	m.note = words.T("One of them: %s", text)
	return nil
}
