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

// dismissal asks whether to close a record without an answer, and why.
type dismissal struct {
	*term.Dismissal
	rec     desk.Record
	sending bool
	fault   string // why it failed
}

// dismissed is the message that a dismissal has been put on the desk, or not.
type dismissed struct {
	id  string
	err error
}

func newDismissal(rec desk.Record) *dismissal {
	return &dismissal{Dismissal: term.NewDismissal(subject(rec), true), rec: rec}
}

func (d *dismissal) hints() []term.Hint {
	if d.sending {
		return []term.Hint{{"…", "sending"}}
	}
	return d.Hints()
}

func (d *dismissal) draw(s *term.Styles, width, rows int) term.Block {
	b := d.Draw(s, width, rows)
	if d.fault != "" {
		b.Lines = append(b.Lines, term.Text(s.Fault, "! "+d.fault, width)...)
	}
	return b
}

// pressDismissal handles a key or a paste while asking whether to dismiss.
func (m *model) pressDismissal(msg tea.Msg) tea.Cmd {
	d := m.dismissal
	if d.sending {
		return nil
	}
	d.fault = ""
	decision, err := d.Press(msg)
	switch {
	case err != nil:
		d.fault = err.Error()
	case decision == term.GoBack:
		m.dismissal = nil
	case decision == term.Dismiss:
		d.sending = true
		id, reply := d.rec.ID, question.Reply{Dismissed: true, Reason: d.Reason()}
		return func() tea.Msg { return dismissed{id, m.reply(id, reply)} }
	}
	return nil
}

// settleDismissal handles what became of a dismissal.
func (m *model) settleDismissal(d dismissed) tea.Cmd {
	var closed *desk.ClosedError
	switch {
	case d.err == nil:
		m.waiting.remove(d.id)
		m.dismissal, m.note = nil, words.Dismissed
		return m.gate.Show(act.Appeared)
	case errors.As(d.err, &closed):
		return m.stop(words.Withdrawal(d.err))
	case m.dismissal != nil:
		m.dismissal.sending = false
		if errors.Is(d.err, desk.ErrUnsent) {
			m.dismissal.fault = words.Kept(d.err)
			return nil
		}
		m.dismissal.fault = "Not sent: " + question.Line(d.err.Error()) + ". Enter tries again."
	}
	return nil
}

// endDismissal takes away the question whether to dismiss a record that has
// ended.
func (m *model) endDismissal(rec desk.Record) tea.Cmd {
	if d := m.dismissal; d == nil || d.rec.ID != rec.ID || d.sending {
		return nil
	}
	return m.stop(words.Withdrawal(&desk.ClosedError{ID: rec.ID, Outcome: *rec.Outcome}))
}
