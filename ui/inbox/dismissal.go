package inbox

import (
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// dismissal asks whether to close records without an answer, and why.
type dismissal struct {
	*term.Dismissal
	ids     []string
	since   time.Time
	sending bool
	fault   string // why it failed
}

// dismissed is the message that dismissals have been put on the desk, or not:
// an error, or nil, for each record.
type dismissed struct {
	ids  []string
	errs []error
}

// askDismissal asks whether to dismiss what is marked, or else what is selected.
// It takes text, so that it waits for quiet like what appears by itself.
func (m *model) askDismissal() tea.Cmd {
	rows := m.waiting.marked()
	if len(rows) == 0 {
		rows = []*row{m.waiting.selected()}
	}
	d := &dismissal{since: m.now()}
	about := subject(rows[0].rec)
	if len(rows) > 1 {
		about = fmt.Sprintf("%d questions, one reason for all: %s", len(rows), about)
	}
	for _, r := range rows {
		d.ids = append(d.ids, r.rec.ID)
	}
	d.Dismissal = term.NewDismissal(about, true)
	m.dismissal = d
	return m.appear(act.Appeared)
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
		return m.appear(act.Opened)
	case decision == term.Dismiss:
		d.sending = true
		out, reply, since := dismissed{ids: slices.Clone(d.ids)}, question.Reply{Dismissed: true, Reason: d.Reason()}, d.since
		return func() tea.Msg {
			for _, id := range out.ids {
				out.errs = append(out.errs, m.reply(id, reply, since))
			}
			return out
		}
	}
	return nil
}

// settleDismissal handles what became of dismissals. What failed can be tried
// again; where somebody was first in all of them, a notice says so.
func (m *model) settleDismissal(d dismissed) tea.Cmd {
	var done, late int
	var first, failed error
	for i, id := range d.ids {
		switch err := d.errs[i]; {
		case err == nil:
			done++
			m.waiting.remove(id)
		case errors.As(err, new(*desk.ClosedError)):
			late++
			first = err
		default:
			failed = err
			continue
		}
		m.dismissal.drop(id)
	}
	switch {
	case failed != nil:
		m.dismissal.sending = false
		m.dismissal.fault = "Not sent: " + question.Line(failed.Error()) + ". Enter tries again."
		return nil
	case done == 0:
		return m.stop(words.Withdrawal(first))
	}
	m.dismissal, m.note = nil, words.Dismissed
	if len(d.ids) > 1 {
		m.note = fmt.Sprintf("%d dismissed.", done)
	}
	if late > 0 {
		m.note += fmt.Sprintf(" %d closed before.", late)
	}
	return m.appear(act.Appeared)
}

func (d *dismissal) drop(id string) {
	d.ids = slices.DeleteFunc(d.ids, func(other string) bool { return other == id })
}

// endDismissal takes a record that has ended out of the question whether to
// dismiss it, and that away with the last.
func (m *model) endDismissal(rec desk.Record) tea.Cmd {
	d := m.dismissal
	if d == nil || d.sending || !slices.Contains(d.ids, rec.ID) {
		return nil
	}
	text := words.Withdrawal(&desk.ClosedError{ID: rec.ID, Outcome: *rec.Outcome})
	if d.drop(rec.ID); len(d.ids) == 0 {
		return m.stop(text)
	}
	m.note = "One of them: " + text
	return nil
}
