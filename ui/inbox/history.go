package inbox

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// firstLook is how many past records are read at first. At the end of the list
// twice as many are.
const firstLook = 200

// history is the list of past records, the last asked first.
type history struct {
	records
	limit   int  // how many records were asked for
	all     bool // there are no more than those in the list
	loading bool
	stop    context.CancelFunc // ends the latest reading
}

// loadHistory reads past records, at least those of the first look.
func (m *model) loadHistory(search string, limit int) tea.Cmd {
	h := &m.history
	if h.stop != nil {
		h.stop()
	}
	ctx, stop := context.WithCancel(m.ctx)
	h.stop = stop
	h.query, h.limit, h.loading = search, max(limit, firstLook), true
	query := desk.Query{Search: search, Limit: h.limit}
	return func() tea.Msg {
		var rows []*row
		var fault error
		for rec, err := range m.desk.History(ctx, query) {
			fault = err
			if err != nil {
				break
			}
			rows = append(rows, newRow(rec))
		}
		return term.Then(term.Only(func() {
			if ctx.Err() != nil { // a later look is on its way
				return
			}
			stop()
			h.show(rows)
			h.loaded, h.loading, h.all = true, false, len(rows) < query.Limit
			if fault != nil {
				m.note = words.T("The past cannot be read: %s", question.Line(fault.Error()))
			}
		}))
	}
}

// reloadHistory reads the same records again.
func (m *model) reloadHistory() tea.Cmd { return m.loadHistory(m.history.query, m.history.limit) }

// loadMore reads more of the past when the cursor has reached the end of what was read.
func (m *model) loadMore() tea.Cmd {
	h := &m.history
	if !m.past || h.all || h.loading || h.Index() < len(h.rows)-1 {
		return nil
	}
	return m.loadHistory(h.query, 2*h.limit)
}

// change has the desk change something about the selected past record, and does then what follows
// from it.
func (m *model) change(write func(past desk.Record) (then term.Then)) tea.Cmd {
	r := m.history.selected()
	if r == nil {
		return nil
	}
	return func() tea.Msg {
		m.writes.RLock()
		defer m.writes.RUnlock()
		return write(r.rec)
	}
}

// reopen asks the user the selected past question again, and opens its form.
func (m *model) reopen() tea.Cmd {
	return m.change(func(past desk.Record) term.Then {
		rec, err := m.desk.Reopen(m.ctx, past.ID)
		return func() tea.Cmd {
			if err != nil && !errors.Is(err, desk.ErrPending) {
				m.note = words.Local.Sentence(words.T("It cannot be asked again: %s", question.Line(err.Error())))
				return nil
			}
			m.front = front{}
			m.open[rec.ID] = newRow(rec)
			m.narrow("")
			m.waiting.choose(m.open[rec.ID])
			return m.openForm(rec.ID)
		}
	})
}

// lift lifts the limit of rounds for the session of the selected call.
func (m *model) lift() tea.Cmd {
	return m.change(func(past desk.Record) term.Then {
		text := words.T(words.LimitLifted)
		err := m.desk.Lift(m.ctx, past.SessionID)
		if err != nil {
			text = words.Local.LimitStays(err)
		}
		return term.Only(func() { m.note = text })
	})
}
