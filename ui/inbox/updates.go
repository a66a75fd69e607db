package inbox

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// retryPause is how long after a failure the desk is tried again.
const retryPause = 2 * time.Second

// news is an event, with what is known of its record.
type news struct {
	event desk.EventType
	*row
}

// connect starts to watch the desk. What is open is read after that, so that nothing is
// missed in between.
func (m *model) connect() tea.Msg {
	events, err := m.desk.Watch(m.ctx)
	return term.Then(func() tea.Cmd {
		if err != nil {
			return m.retry(err, func() tea.Cmd { return m.connect })
		}
		m.events = events
		m.look()
		return m.listen()
	})
}

// retry shows why the desk cannot be read, and tries again later.
func (m *model) retry(err error, again term.Then) tea.Cmd {
	m.fault = words.T("Questions cannot be read, trying again: %s", question.Line(err.Error()))
	return m.after(retryPause, again)
}

// look has all that is open read again.
func (m *model) look() {
	select {
	case m.looks <- struct{}{}:
	default: // a request waits already
	}
}

// listen waits for the next event, or for the request to look, and shows what that brings.
// There is one at a time: nothing older is shown after something newer.
func (m *model) listen() tea.Cmd {
	events, known := m.events, maps.Clone(m.open)
	return func() tea.Msg {
		select {
		case e, ok := <-events:
			if !ok { // the watch has ended
				return term.Then(func() tea.Cmd { return m.after(retryPause, func() tea.Cmd { return m.connect }) })
			}
			found := news{e.Type, m.learn(e.Record)}
			return term.Then(func() tea.Cmd { return tea.Batch(m.apply(found), m.listen()) })
		case <-m.looks:
			found, err := m.readOpen(known)
			return term.Then(func() tea.Cmd {
				if err != nil {
					return tea.Batch(m.listen(), m.retry(err, term.Only(m.look)))
				}
				cmd := m.apply(found...)
				m.fault, m.waiting.loaded = "", true
				return tea.Batch(cmd, m.listen())
			})
		}
	}
}

// readOpen reads all open records, and the ends of known ones that are no longer open: their
// events were missed.
func (m *model) readOpen(known map[string]*row) ([]news, error) {
	records, err := m.desk.Pending(m.ctx)
	if err != nil {
		return nil, err
	}
	var found []news
	for _, rec := range records {
		found = append(found, news{desk.Asked, m.learn(rec)})
		delete(known, rec.ID)
	}
	for id, r := range known {
		rec, err := m.desk.Get(m.ctx, id)
		if errors.Is(err, desk.ErrNotFound) || errors.Is(err, desk.ErrDamaged) { // whatever became of it
			rec = r.rec
			rec.State, rec.Outcome = desk.Failed, &desk.Outcome{Status: desk.Failed, At: m.Now()}
		}
		if rec.Outcome != nil {
			found = append(found, news{desk.Ended, newRow(rec)})
		}
	}
	return found, nil
}

// learn reads what is known of a record beside the record itself.
func (m *model) learn(rec desk.Record) *row {
	r := newRow(rec)
	if rec.Outcome == nil {
		_, _, err := m.desk.Draft(m.ctx, rec.ID)
		r.draft = err == nil
		r.deadline = form.Backing{Desk: m.desk, Rec: rec}.Deadline(m.ctx)
	}
	return r
}

// apply shows what has changed. Where the selected question has ended, a note says so, and acts
// wait for a pause: they may be meant for that question.
func (m *model) apply(found ...news) tea.Cmd {
	before, loaded, ended := m.waiting.selected(), m.waiting.loaded, false
	var cmds []tea.Cmd
	for _, n := range found {
		id, known := n.rec.ID, m.open[n.rec.ID] != nil
		switch {
		case n.rec.Outcome != nil:
			ended = true
			delete(m.open, id)
			m.drafts.Delete(id)
			if before != nil && before.rec.ID == id {
				m.note = words.Local.Withdrawal(&desk.ClosedError{ID: id, Outcome: *n.rec.Outcome})
			}
		case known || n.event != desk.Touched: // else it was answered here meanwhile
			m.open[id] = n.row
			if !known && loaded {
				cmds = append(cmds, m.announce(n.rec))
			}
		}
		m.note = cmp.Or(view.Local(n.rec).Overruled(), m.note)
		cmds = append(cmds, m.tellForm(n.row))
	}
	m.arrange()
	if ended && m.past {
		cmds = append(cmds, m.reloadHistory())
	}

	after := m.waiting.selected()
	if !loaded || after == nil || before != nil && before.rec.ID == after.rec.ID {
		return tea.Batch(cmds...)
	}
	if before != nil && !m.past && !m.covered() && m.typing == nil {
		cmds = append(cmds, m.Appear(gate.Appeared))
	}
	return tea.Batch(cmds...)
}

// arrange shows the open records that fit the filter.
func (m *model) arrange() {
	var rows []*row
	for _, id := range slices.Sorted(maps.Keys(m.open)) { // the oldest first
		r := m.open[id]
		if m.waiting.query == "" || view.Local(r.rec).Fits(m.waiting.query, words.Project(r.rec.Asker)) {
			rows = append(rows, r)
		}
	}
	view.Arrange(rows, func(r *row) (asker string, waits bool) { return r.asker, r.rec.Attended })
	rows, times := view.Merge(rows, func(r *row) string { return r.alike })
	for i, n := range times {
		if n > 1 {
			merged := *rows[i]
			merged.times = n
			rows[i] = &merged
		}
	}
	m.waiting.show(rows)
}

// goToAgent shows the user the terminal of the agent that asks the selected question.
func (m *model) goToAgent() tea.Cmd {
	r := m.waiting.selected()
	if r == nil || m.goTo == nil {
		return nil
	}
	return func() tea.Msg {
		err := m.goTo(r.rec.Asker.Process())
		if err == nil {
			return nil
		}
		return term.Then(term.Only(func() { m.note = words.T("The agent's terminal cannot be shown: %s", words.T(err.Error())) }))
	}
}

// after calls do after a time, unless the inbox closes before.
func (m *model) after(d time.Duration, do term.Then) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return do
		case <-m.ctx.Done():
			return nil
		}
	}
}
