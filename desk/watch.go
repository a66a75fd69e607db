package desk

import (
	"cmp"
	"context"
	"errors"
	"time"

	"mcp-askuser/desk/store"
)

// EventType says what happened to a record.
type EventType string

// What happens to records.
const (
	Asked EventType = "asked" // put on the desk
	Ended EventType = "ended" // answered, dismissed or ended without the user
	// Touched: its draft has changed, an asker waits for it or has stopped waiting, or
	// it is shown elsewhere. A process that was killed stops waiting without an event.
	// Of no record: the store does not answer, or answers again.
	Touched EventType = "touched"
	// Settled: the host of a mirrored dialog has decided whose reply counts, after an
	// Ended whose outcome was provisional. The record has Later where it was another.
	Settled EventType = "settled"
)

// Event is something that happened to a record. The record is as it was then:
// pending with Asked, with its outcome with Ended.
type Event struct {
	Type   EventType
	Record Record
}

// Watch sends what happens on the desk from now on, in every process. For each record it is,
// in order, at most one Asked and one Ended, Touched in between, and for a mirrored one perhaps
// Settled, after an end that may be older than the watch. The channel is closed when ctx
// ends. Call Watch before [Desk.Pending]: what was asked in between is in both. A slow
// watcher delays no other: it misses touches.
func (d *Desk) Watch(ctx context.Context) (<-chan Event, error) {
	watching, stop := context.WithCancel(ctx)
	changes, err := d.store.Changes(watching, "")
	w := watcher{desk: d, known: map[string]state{}}
	if err == nil {
		err = w.begin(ctx)
	}
	if err != nil {
		stop()
		return nil, err
	}
	out := make(chan Event)
	go func() {
		defer stop()
		w.run(ctx, changes, out)
	}()
	return out, nil
}

// state is what a watcher knows of a record.
type state int

const (
	unknown state = iota
	isOpen
	provisional
	settled
)

// watcher turns changed rows into events: a change means that it looks again.
type watcher struct {
	desk     *Desk
	known    map[string]state
	revision store.Revision // how far it has read
	begun    time.Time      // records with earlier ids that it does not know had ended before it began
	failing  bool
}

// begin reads what is open, and what was asked within the last day and has ended: askers may have
// other clocks, and the host of a dialog settles it within a day. What is on a shared desk that
// does not answer is read later.
func (w *watcher) begin(ctx context.Context) (err error) {
	now := w.desk.now()
	w.begun = now.Add(-w.desk.keepTime)
	w.revision, err = w.desk.store.Revision(ctx)
	if err != nil {
		return err
	}
	for _, q := range []store.Query{{Open: true}, {Ended: true, Since: w.begun}} {
		for row, err := range w.desk.rows(ctx, q) {
			if err != nil {
				return err
			}
			rec, err := decodeRow(row)
			if w.desk.leaveOut(ctx, row.ID, err) || err != nil {
				continue
			}
			w.known[row.ID] = stateOf(&rec)
		}
	}
	if w.desk.Away() != nil {
		w.begun = now
	}
	return nil
}

func stateOf(rec *Record) state {
	switch {
	case rec.Outcome == nil:
		return isOpen
	case rec.Outcome.Provisional:
		return provisional
	}
	return settled
}

func (w *watcher) run(ctx context.Context, changes <-chan struct{}, out chan<- Event) {
	defer close(out)
	for {
		err := w.look(ctx, out)
		if err != nil && ctx.Err() == nil && !w.failing {
			w.desk.log.WarnContext(ctx, "watching the desk; it is tried again", "error", err)
		}
		if w.failing != (err != nil) {
			w.failing = err != nil
			_ = send(ctx, out, Event{Type: Touched}) // where ctx ends, so does the watch
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(settleTime):
		case <-ctx.Done():
			return
		}
	}
}

// settleTime is how long a watcher waits before it looks: the asker that has its answer comes first,
// where many share a processor, and what happens at once is read once.
const settleTime = 15 * time.Millisecond

// look sends the events of the rows that have changed, once all are read: a watcher that
// does not receive must not keep the store at work.
func (w *watcher) look(ctx context.Context, out chan<- Event) error {
	events, failed := w.changed(ctx)
	for _, ev := range events {
		err := send(ctx, out, ev)
		if err != nil {
			return err
		}
	}
	return failed
}

func send(ctx context.Context, out chan<- Event, ev Event) error {
	select {
	case out <- ev:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// changed returns the events of the rows that have changed, also of those before an error. A row that
// cannot be read for want of the trusted keys hides no other: it is read again, with all that follow it.
func (w *watcher) changed(ctx context.Context) (events []Event, failed error) {
	for row, err := range w.desk.store.Rows(ctx, store.Query{After: w.revision}) {
		if err != nil {
			return events, err
		}
		rec, err := w.desk.decode(ctx, row, w.desk.prove)
		switch {
		case errors.Is(err, ErrUnreachable):
			return events, err
		case err == nil:
			events = append(events, w.events(rec)...)
		case !w.desk.leaveOut(ctx, row.ID, err):
			failed = cmp.Or(failed, err)
		}
		if failed == nil {
			w.revision = w.revision.Max(row.Revision)
		}
	}
	return events, failed
}

// events returns what a changed record means to the watcher.
func (w *watcher) events(rec Record) (events []Event) {
	before, now := w.known[rec.ID], stateOf(&rec)
	if before == unknown && now != isOpen && rec.CreatedAt.Before(w.begun) {
		return nil
	}
	w.known[rec.ID] = now
	if before == unknown {
		asked := rec
		asked.State, asked.Outcome, asked.Later = Pending, nil, nil
		if rec.Round > 0 { // else a call that was not asked
			events = append(events, Event{Asked, asked})
		}
	}
	switch {
	case before == unknown && now == isOpen:
	case now == isOpen:
		events = append(events, Event{Touched, rec})
	case before < provisional && rec.Round > 0:
		events = append(events, Event{Ended, rec})
	case before == provisional && now == settled:
		events = append(events, Event{Settled, rec})
	}
	return events
}
