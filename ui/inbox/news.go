package inbox

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
)

// The messages that tell the model of the desk.
type (
	// connected: the desk is being watched, and this is what is pending.
	connected struct {
		events  <-chan desk.Event
		records []desk.Record
		err     error
	}
	// happened: these events, in order.
	happened []desk.Event
	// heard: these events of the watch, which goes on or has ended.
	heard struct {
		events happened
		goesOn bool
	}
	// listed: this is pending now.
	listed struct {
		records []desk.Record
		err     error
	}
	// learned: what is known beside these records, by id.
	learned map[string]known
	// opened: a record as it is, ready to be answered.
	opened struct {
		rec      desk.Record
		options  []form.Option
		deadline time.Time
		err      error
	}
	// retry: it is time to try again what failed.
	retry struct{}
)

// maxBatch is how many events are taken at once, so that many questions at
// the same time cost one screen and not one each.
const maxBatch = 256

// retryPause is how long after a failure the desk is tried again.
const retryPause = 2 * time.Second

// connect starts watching the desk. It watches first and lists then, so that
// nothing is missed in between.
func (m *model) connect() tea.Msg {
	events, err := m.desk.Watch(m.ctx)
	if err != nil {
		return connected{err: err}
	}
	records, err := m.desk.Pending(m.ctx)
	return connected{events, records, err}
}

// listen waits for the next events.
func (m *model) listen() tea.Cmd {
	events := m.events
	return func() tea.Msg {
		e, ok := <-events
		if !ok {
			return heard{}
		}
		batch := happened{e}
		for len(batch) < maxBatch {
			select {
			case e, ok := <-events:
				if !ok {
					return heard{batch, false}
				}
				batch = append(batch, e)
			default:
				return heard{batch, true}
			}
		}
		return heard{batch, true}
	}
}

// lookAgain finds out what is pending now.
func (m *model) lookAgain() tea.Msg {
	records, err := m.desk.Pending(m.ctx)
	return listed{records, err}
}

// learn finds out what is known beside these records.
func (m *model) learn(records ...desk.Record) tea.Cmd {
	if len(records) == 0 {
		return nil
	}
	return func() tea.Msg {
		branches := map[string]string{}
		out := learned{}
		for _, rec := range records {
			dir := rec.Asker.Directory
			if _, ok := branches[dir]; !ok {
				branches[dir] = branch(dir)
			}
			_, _, err := m.desk.Draft(m.ctx, rec.ID)
			out[rec.ID] = known{branches[dir], err == nil, form.Backing{Desk: m.desk, Rec: rec}.Deadline(m.ctx)}
		}
		return out
	}
}

// fetchEnds tells of records that ended while nobody listened, as if the watch
// had told it.
func (m *model) fetchEnds(ids []string) tea.Cmd {
	if len(ids) == 0 {
		return nil
	}
	return func() tea.Msg {
		var out happened
		for _, id := range ids {
			rec, err := m.desk.Get(m.ctx, id)
			if err != nil { // gone, whatever became of it
				rec = desk.Record{ID: id, State: desk.Failed, Outcome: &desk.Outcome{Status: desk.Failed}}
			}
			if rec.Outcome != nil {
				out = append(out, desk.Event{Type: desk.Ended, Record: rec})
			}
		}
		return out
	}
}

// fetch gets a record ready to be answered. What cannot be found out beside
// it is not worth keeping a human from answering.
func (m *model) fetch(id string) tea.Cmd {
	return func() tea.Msg {
		rec, err := m.desk.Get(m.ctx, id)
		if err != nil {
			return opened{err: err}
		}
		backing := form.Backing{Desk: m.desk, Rec: rec}
		save := func(r question.Reply) {
			m.writes.RLock()
			defer m.writes.RUnlock()
			backing.Save(m.ctx, r)
		}
		return opened{rec: rec, options: backing.Options(m.ctx, save), deadline: backing.Deadline(m.ctx)}
	}
}

// after sends a message when the time has come, unless the inbox closes before.
func after(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}
