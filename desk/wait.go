package desk

import (
	"context"
	"errors"
)

// Wait returns the record with this id once it has ended, at once if it has
// already. When ctx ends first the error is its cause; the record stays as it
// is. Other errors are those of [Desk.Get].
func (d *Desk) Wait(ctx context.Context, id string) (Record, error) {
	rec, err := d.get(ctx, id)
	if err != nil || rec.Outcome != nil {
		return rec, err
	}
	wake, err := d.listen(ctx, id)
	if err != nil {
		return Record{}, err
	}
	defer wake.stop()
	for {
		// Looked at only after listening, so that a reply that lands in
		// between is either seen here or heard of below.
		rec, err := d.get(ctx, id)
		if err != nil || rec.Outcome != nil {
			return rec, err
		}
		select {
		case _, ok := <-wake.rings:
			if err := wake.err(!ok); err != nil {
				return Record{}, err
			}
		case <-ctx.Done():
			return Record{}, context.Cause(ctx)
		}
	}
}

// errDeaf means that a bell can ring no more.
var errDeaf = errors.New("the wait for the answer broke off: ask for it again")

// alarm is what wakes a waiter.
type alarm struct {
	rings <-chan struct{}
	err   func(closed bool) error // to be asked after each ring
	stop  func()
}

// listen sets the alarm for one record: its bell, or where a store has none,
// the watch of everything that all waiters of this process share.
func (d *Desk) listen(ctx context.Context, id string) (alarm, error) {
	rings, stop, err := d.store.Bell(ctx, id)
	if errors.Is(err, errors.ErrUnsupported) {
		return d.listenToAll(id)
	}
	if err != nil {
		return alarm{}, err
	}
	return alarm{rings, func(closed bool) error {
		if closed {
			return errDeaf
		}
		return nil
	}, stop}, nil
}

func (d *Desk) listenToAll(id string) (alarm, error) {
	sub, err := d.hub.subscribe(id)
	if err != nil {
		return alarm{}, err
	}
	return alarm{sub.wake, func(bool) error {
		_, err := d.hub.take(sub)
		return err
	}, func() { d.hub.unsubscribe(sub) }}, nil
}
