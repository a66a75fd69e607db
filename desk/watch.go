package desk

import (
	"context"
	"errors"
)

// EventType says what happened to a record.
type EventType string

// What happens to records.
const (
	Asked EventType = "asked" // put on the desk
	Ended EventType = "ended" // answered, dismissed or ended without a human
	// Touched: somebody works on it, waits for it or has stopped waiting, or
	// it is shown somewhere else. A process that was killed stops waiting
	// without an event.
	Touched EventType = "touched"
)

// Event is something that happened to a record. The record is as it was then:
// pending with Asked, with its outcome with Ended.
type Event struct {
	Type   EventType
	Record Record
}

// Watch tells what happens on the desk from now on, in every process, in
// order. Each record is told at most once as asked and once as ended, and in
// between as touched. The
// channel is closed when ctx ends, or when the store fails (which is logged).
// One who also wants what is pending now calls Watch first and then
// [Desk.Pending]: what was asked in between is in both.
//
// After a notification overflow, a record that was asked and ended within the
// gap is not told.
func (d *Desk) Watch(ctx context.Context) (<-chan Event, error) {
	sub, err := d.hub.subscribe("")
	if err != nil {
		return nil, err
	}
	w := &watch{desk: d, sub: sub, open: map[string]bool{}, out: make(chan Event)}
	records, err := d.Pending(ctx)
	if err != nil {
		d.hub.unsubscribe(sub)
		return nil, err
	}
	for _, rec := range records {
		w.open[rec.ID] = true
	}
	go w.run(ctx)
	return w.out, nil
}

// watch is one call of Watch.
type watch struct {
	desk *Desk
	sub  *subscription
	open map[string]bool // the records that are to end yet
	out  chan Event
}

func (w *watch) run(ctx context.Context) {
	defer close(w.out)
	defer w.desk.hub.unsubscribe(w.sub)
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.sub.wake:
		}
		changes, err := w.desk.hub.take(w.sub)
		for _, c := range changes {
			if err == nil {
				err = w.tell(ctx, c)
			}
		}
		if err != nil {
			if ctx.Err() == nil {
				w.desk.log.ErrorContext(ctx, "watching the desk", "error", err)
			}
			return
		}
	}
}

// tell turns a change of the store into events.
func (w *watch) tell(ctx context.Context, c Change) error {
	switch {
	case c.ID == "":
		return w.rescan(ctx)
	case c.Kind == KindDrafts || c.Kind == KindShowing || c.Kind == KindAskers:
		return w.touched(ctx, c.ID)
	case w.open[c.ID]:
		return w.ended(ctx, c.ID)
	case c.Kind == KindPending && !c.Removed:
		return w.asked(ctx, c.ID)
	}
	return nil // cleaning up after a record that ended, or a reply that came too late
}

func (w *watch) asked(ctx context.Context, id string) error {
	rec, err := w.get(ctx, id)
	if err != nil || rec.ID == "" {
		return err
	}
	w.open[id] = true
	rec.State, rec.Outcome = Pending, nil // it may have ended since; that is told next
	return w.send(ctx, Event{Asked, rec})
}

func (w *watch) ended(ctx context.Context, id string) error {
	rec, err := w.get(ctx, id)
	if err != nil {
		return err
	}
	if rec.ID == "" {
		delete(w.open, id)
		return nil
	}
	if rec.Outcome == nil {
		return nil
	}
	delete(w.open, id)
	return w.send(ctx, Event{Ended, rec})
}

func (w *watch) touched(ctx context.Context, id string) error {
	if !w.open[id] {
		return nil // not told yet, or no more
	}
	rec, err := w.get(ctx, id)
	if err != nil || rec.ID == "" || rec.Outcome != nil {
		return err
	}
	return w.send(ctx, Event{Touched, rec})
}

// rescan compares what is on the desk with what has been told.
func (w *watch) rescan(ctx context.Context) error {
	for id := range w.open {
		if err := w.ended(ctx, id); err != nil {
			return err
		}
	}
	records, err := w.desk.Pending(ctx)
	if err != nil {
		return err
	}
	for _, rec := range records {
		if w.open[rec.ID] {
			continue
		}
		w.open[rec.ID] = true
		if err := w.send(ctx, Event{Asked, rec}); err != nil {
			return err
		}
	}
	return nil
}

// get returns the zero record for one that is gone or cannot be read.
func (w *watch) get(ctx context.Context, id string) (Record, error) {
	rec, err := w.desk.Get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Record{}, nil
	}
	if errors.Is(err, ErrDamaged) {
		w.desk.log.WarnContext(ctx, "leaving out a damaged record", "id", id, "error", err)
		return Record{}, nil
	}
	return rec, err
}

func (w *watch) send(ctx context.Context, ev Event) error {
	select {
	case w.out <- ev:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
