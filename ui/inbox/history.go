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

// historyRows is how many past records are shown at most: older ones are found by a search.
const historyRows = 200

// history is the list of past records, the last asked first.
type history struct {
	records
	loading bool
	stop    context.CancelFunc // ends the latest reading
}

// loadHistory reads the past records that fit a search.
func (m *model) loadHistory(search string) tea.Cmd {
	h := &m.history
	if h.stop != nil {
		h.stop()
	}
	ctx, stop := context.WithCancel(m.ctx)
	h.stop = stop
	h.query, h.loading = search, true
	return func() tea.Msg {
		var rows []*row
		var fault error
		for rec, err := range m.desk.History(ctx, desk.Query{Search: search, Limit: historyRows}) {
			fault = err
			if err != nil {
				break
			}
			rows = append(rows, newRow(rec))
		}
		return term.Callback(term.Action(func() {
			if ctx.Err() != nil { // a later look is on its way
				return
			}
			stop()
			h.show(rows)
			h.loaded, h.loading = true, false
			if fault != nil {
				m.note = words.T("The past cannot be read: %s", question.Line(fault.Error()))
			}
		}))
	}
}

// reopen asks the user the past question that is read or selected again, and opens its form, which
// gets all keys that arrive before.
func (m *model) reopen() tea.Cmd {
	r := m.history.selected()
	if m.reader != nil { // the list may have another record selected by now
		r = m.reread
	}
	if r == nil {
		return nil
	}
	m.opening, m.early = true, nil
	return func() tea.Msg {
		m.writes.RLock()
		defer m.writes.RUnlock()
		rec, err := m.desk.Reopen(m.ctx, r.rec.ID)
		return term.Callback(func() tea.Cmd {
			if err != nil && !errors.Is(err, desk.ErrPending) {
				m.opening = false
				m.note = words.Local.Sentence(words.T("It cannot be asked again: %s", question.Line(err.Error())))
				return nil
			}
			m.front = front{}
			m.open[rec.ID] = newRow(rec)
			m.narrow("")
			m.waiting.choose(m.open[rec.ID])
			return m.openForm(rec.ID, m.early...)
		})
	}
}
