package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// EventType says what happened to a record.
type EventType string

// What happens to records.
const (
	Asked EventType = "asked" // put on the desk
	Ended EventType = "ended" // answered, dismissed or ended without a human
	// Touched: its draft has changed, an asker waits for it or has stopped waiting, or
	// it is shown elsewhere. A process that was killed stops waiting without an event.
	Touched EventType = "touched"
	// Settled: the host of a mirrored dialog has decided whose reply counts, after an
	// Ended whose outcome was unsettled. The record has Later where it was another.
	Settled EventType = "settled"
)

// Event is something that happened to a record. The record is as it was then:
// pending with Asked, with its outcome with Ended.
type Event struct {
	Type   EventType
	Record Record
}

// Watch sends what happens on the desk from now on, in every process, in order: for each
// record at most one Asked and one Ended, Touched in between, and for a mirrored one perhaps
// Settled, after an end that may be older than the watch. The channel is closed when ctx
// ends, or when the store fails, which is logged. Call Watch before [Desk.Pending]: what was
// asked in between is in both.
//
// All watchers in a process share one watch of the store. A slow one delays no other: it
// misses touches and, as after an overflow, what was asked and ended within the gap.
func (d *Desk) Watch(ctx context.Context) (<-chan Event, error) {
	l, err := d.hub.listen("")
	if err != nil {
		return nil, err
	}
	open, err := d.undecided(ctx)
	if err != nil {
		d.hub.leave(l)
		return nil, err
	}
	out := make(chan Event)
	go d.sendEvents(ctx, l, open, out)
	return out, nil
}

// sendEvents sends what happens to a watcher that knows the open records.
func (d *Desk) sendEvents(ctx context.Context, l *listener, open openSet, out chan<- Event) {
	defer close(out)
	defer d.hub.leave(l)
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
		updates, err := d.hub.take(l)
		for _, u := range updates {
			events, wrong := d.eventsOf(ctx, u, open)
			err = cmp.Or(err, wrong)
			for _, ev := range events {
				if !open.admit(ev) {
					continue
				}
				select {
				case out <- ev:
				case <-ctx.Done():
					return
				}
			}
		}
		if err != nil {
			if ctx.Err() == nil {
				d.log.ErrorContext(ctx, "watching the desk", "error", err)
			}
			return
		}
	}
}

// openSet is the records that a watcher knows as asked and not as ended; false is one that
// has ended unsettled.
type openSet map[string]bool

// admit updates the set, and reports whether ev is new to its watcher.
func (s openSet) admit(ev Event) bool {
	id := ev.Record.ID
	was, known := s[id]
	switch ev.Type {
	case Asked:
		s[id] = true
		return !was
	case Ended:
		delete(s, id)
		if known && ev.Record.Outcome.Unsettled {
			s[id] = false
		}
	case Settled:
		delete(s, id)
		return known
	case Touched:
	}
	return was
}

// undecided returns the records that are open and, as false, those whose reply is
// unsettled.
func (d *Desk) undecided(ctx context.Context) (openSet, error) {
	ids, decided, err := d.openIDs(ctx)
	if err != nil {
		return nil, err
	}
	open := make(openSet, len(ids))
	for _, id := range ids {
		open[id] = true
	}
	for rec, err := range d.getEach(ctx, decided...) { // few have a reply and are not archived
		if err != nil {
			return nil, err
		}
		if rec.Outcome != nil && rec.Outcome.Unsettled {
			open[rec.ID] = false
		}
	}
	return open, nil
}

// eventsOf returns what an update of the store may mean to a watcher that knows open. It
// reads no record without need.
func (d *Desk) eventsOf(ctx context.Context, c update, open openSet) ([]Event, error) {
	touches := c.Kind == KindDrafts || c.Kind == KindShowing || c.Kind == KindAskers
	_, known := open[c.ID]
	kind := Asked
	switch {
	case c.ID == "":
		return d.rescan(ctx, open)
	case open[c.ID] && touches:
		kind = Touched
	case open[c.ID]:
		kind = Ended
	case known && c.Kind == KindReplies && c.Removed:
		kind = Settled
	case known || c.Kind != KindPending || c.Removed:
		return nil, nil // cleaning up after a record that ended, or a reply that came too late
	}
	return d.event(ctx, kind, c.ID, c.record)
}

// rescan returns how the desk differs from what its watcher knows.
func (d *Desk) rescan(ctx context.Context, open openSet) ([]Event, error) {
	now, err := d.undecided(ctx)
	if err != nil {
		return nil, err
	}
	var keys []Key // of what is still listed: a store may list for a moment what was removed
	for id := range now {
		if open[id] && now[id] {
			keys = append(keys, Key{KindPending, id})
		}
	}
	for i, doc := range d.read(ctx, keys...) {
		if doc.Err == nil && doc.Data == nil {
			delete(now, keys[i].ID)
		}
	}
	var events []Event
	for _, side := range []struct {
		kind EventType
		of   openSet
		news func(id string) bool
	}{
		{Ended, open, func(id string) bool { return open[id] && !now[id] }},
		{Settled, open, func(id string) bool { _, still := now[id]; return !open[id] && !still }},
		{Asked, now, func(id string) bool { return now[id] && !open[id] }},
	} {
		for _, id := range slices.Sorted(maps.Keys(side.of)) {
			if !side.news(id) {
				continue
			}
			some, err := d.event(ctx, side.kind, id, func() (Record, error) { return d.Get(ctx, id) })
			if err != nil {
				return nil, err
			}
			events = append(events, some...)
		}
	}
	return events, nil
}

// event reads the record that something has happened to. There is no event where that
// did not happen, or the record was removed or cannot be read.
func (d *Desk) event(ctx context.Context, kind EventType, id string, record func() (Record, error)) ([]Event, error) {
	rec, err := record()
	switch {
	case d.leaveOut(ctx, id, err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if kind == Asked {
		rec.State, rec.Outcome = Pending, nil // it may have ended since: the next event
	}
	if (rec.Outcome != nil) != (kind == Ended || kind == Settled) {
		return nil, nil
	}
	return []Event{{kind, rec}}, nil
}
