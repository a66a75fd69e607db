package inbox

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// retryPause is how long after a failure the desk is tried again.
const retryPause = 2 * time.Second

// connect starts watching the desk. It watches first and lists then, so that
// nothing is missed in between.
func (m *model) connect() tea.Msg {
	events, err := m.desk.Watch(m.ctx)
	var records []desk.Record
	if err == nil {
		records, err = m.desk.Pending(m.ctx)
	}
	return term.Then(func() tea.Cmd { return m.startListening(events, records, err) })
}

func (m *model) connectLater() tea.Cmd {
	return m.after(retryPause, func() tea.Cmd { return m.connect })
}

// listen waits for the next event; a watch that has ended is begun anew.
func (m *model) listen() tea.Msg {
	e, open := <-m.events
	return term.Then(func() tea.Cmd {
		if !open {
			return m.connectLater()
		}
		return tea.Batch(m.apply(e), m.listen)
	})
}

// reloadPending reads what is pending now. The watch reports a failure too.
func (m *model) reloadPending() tea.Msg {
	records, err := m.desk.Pending(m.ctx)
	if err != nil {
		return nil
	}
	return term.Then(func() tea.Cmd { return m.updatePending(records) })
}

// loadFacts reads what is known beside these records.
func (m *model) loadFacts(records ...desk.Record) tea.Cmd {
	if len(records) == 0 {
		return nil
	}
	return func() tea.Msg {
		facts := map[string]known{}
		for _, rec := range records {
			_, _, err := m.desk.Draft(m.ctx, rec.ID)
			facts[rec.ID] = known{err == nil, form.Backing{Desk: m.desk, Rec: rec}.Deadline(m.ctx)}
		}
		return term.Then(func() tea.Cmd { return m.showFacts(facts) })
	}
}

func (m *model) showFacts(facts map[string]known) tea.Cmd {
	for id, k := range facts {
		if r := m.waiting.all[id]; r != nil {
			r.known = k
		}
	}
	m.waiting.arrange()
	if m.answer != nil {
		if k, ok := facts[m.answer.rec.ID]; ok {
			return m.send(form.Deadline{At: k.deadline})
		}
	}
	return nil
}

// loadEnded delivers the ends of records that the watch has missed.
func (m *model) loadEnded(gone []desk.Record) tea.Cmd {
	if len(gone) == 0 {
		return nil
	}
	return func() tea.Msg {
		var out []desk.Event
		for _, known := range gone {
			rec, err := m.desk.Get(m.ctx, known.ID)
			if errors.Is(err, desk.ErrNotFound) || errors.Is(err, desk.ErrDamaged) { // whatever became of it
				rec = known
				rec.State, rec.Outcome = desk.Failed, &desk.Outcome{Status: desk.Failed, At: m.Now()}
			}
			if rec.Outcome != nil {
				out = append(out, desk.Event{Type: desk.Ended, Record: rec})
			}
		}
		return term.Then(func() tea.Cmd { return m.apply(out...) })
	}
}

// loadForm reads a record and what is known beside it, and opens its form.
func (m *model) loadForm(id string, start formStart) tea.Cmd {
	return func() tea.Msg {
		rec, err := m.desk.Get(m.ctx, id)
		if err != nil {
			return term.Then(term.Only(func() { m.note = words.T("The question cannot be opened: %s", question.Line(err.Error())) }))
		}
		backing := form.Backing{Desk: m.desk, Rec: rec}
		draft, _ := m.drafts.LoadOrStore(id, form.NewDraft(func(r question.Reply) error {
			m.writes.RLock()
			defer m.writes.RUnlock()
			return backing.Save(m.ctx, r)
		}))
		options, deadline := backing.Options(m.ctx, draft.(*form.Draft)), backing.Deadline(m.ctx)
		options.Bare = start.bare
		return term.Then(func() tea.Cmd {
			switch {
			case m.covered():
				return nil
			case rec.Outcome != nil:
				m.waiting.markEnded(rec)
				m.waiting.arrange()
				return nil
			}
			return m.openForm(rec, deadline, options, start)
		})
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
