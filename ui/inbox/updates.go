package inbox

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// retryPause is how long after a failure the desk is tried again.
const retryPause = 2 * time.Second

// connect starts to watch the desk. What is open is read after that, so that nothing is
// missed in between.
func (m *model) connect() tea.Msg {
	events, err := m.desk.Watch(m.ctx)
	return term.Callback(func() tea.Cmd {
		if err != nil {
			return m.retry(err, func() tea.Cmd { return m.connect })
		}
		m.events = events
		m.look()
		return m.listen()
	})
}

// retry shows why the desk cannot be read, and tries again later.
func (m *model) retry(err error, again term.Callback) tea.Cmd {
	m.fault = words.Local.Unread(err)
	return m.after(retryPause, again)
}

// look has all that is open read again.
func (m *model) look() {
	select {
	case m.looks <- struct{}{}:
	default: // a request waits already
	}
}

// listen waits for an event, or for the request to look, reads all that is open, and shows it.
// There is one look at a time: nothing older is shown after something newer.
func (m *model) listen() tea.Cmd {
	events, known := m.events, maps.Clone(m.open)
	return func() tea.Msg {
		late := ""
		select {
		case e, ok := <-events:
			if !ok { // the watch has ended
				return term.Callback(func() tea.Cmd { return m.after(retryPause, func() tea.Cmd { return m.connect }) })
			}
			late = view.Local(e.Record).LateReply()
		case <-m.looks:
		}
		open, ended, err := m.readOpen(known)
		away := m.desk.Away() // what it has is read once it answers
		return term.Callback(func() tea.Cmd {
			if err != nil {
				return tea.Batch(m.listen(), m.retry(err, term.Action(m.look)))
			}
			cmd := m.show(open, ended)
			m.note = cmp.Or(late, m.note)
			m.fault, m.waiting.loaded = "", true
			if away != nil {
				m.fault = words.Local.Unread(away)
			}
			return tea.Batch(cmd, m.listen())
		})
	}
}

// readOpen reads all open records, and the ends of known ones that are no longer open.
func (m *model) readOpen(known map[string]*row) (open, ended []*row, err error) {
	records, err := m.desk.Pending(m.ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, rec := range records {
		open = append(open, newRow(rec))
		delete(known, rec.ID)
	}
	for id, r := range known {
		rec, err := m.desk.Get(m.ctx, id)
		if errors.Is(err, desk.ErrNotFound) || errors.Is(err, desk.ErrDamaged) { // whatever became of it
			rec = r.rec
			rec.State, rec.Outcome = desk.Failed, &desk.Outcome{Status: desk.Failed, At: m.Now()}
		}
		if rec.Outcome == nil { // it cannot be read just now
			open = append(open, r)
		} else {
			ended = append(ended, newRow(rec))
		}
	}
	return open, ended, nil
}

// show shows what is open now, and what has ended. Where the selected question has, a note says
// so, and acts wait for a pause: they may be meant for that question.
func (m *model) show(open, ended []*row) tea.Cmd {
	var cmds []tea.Cmd
	before, known, loaded := m.waiting.selected(), m.open, m.waiting.loaded
	m.open = map[string]*row{}
	for _, r := range open {
		m.open[r.rec.ID] = r
		if known[r.rec.ID] == nil && loaded {
			cmds = append(cmds, m.ring())
		}
	}
	for _, r := range slices.Concat(open, ended) {
		cmds = append(cmds, m.tellForm(r))
	}
	for _, r := range ended {
		if before != nil && before.rec.ID == r.rec.ID && !slices.Contains(m.last.sent, r.rec.ID) {
			m.note = words.Local.Withdrawal(&desk.ClosedError{ID: r.rec.ID, Outcome: *r.rec.Outcome})
		}
		delete(m.unsaved, r.rec.ID)
	}
	m.arrange()
	if len(ended) > 0 && m.past {
		cmds = append(cmds, m.loadHistory(m.history.query))
	}

	after := m.waiting.selected()
	if !loaded || before == nil || after == nil || before.rec.ID == after.rec.ID {
		return tea.Batch(cmds...)
	}
	if !m.past && !m.covered() && m.typing == nil {
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
	m.waiting.show(merge(rows))
}

// after calls do after a time, unless the inbox closes before.
func (m *model) after(d time.Duration, do term.Callback) tea.Cmd {
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
