package desk

import (
	"context"
	"errors"
	"fmt"
)

// Wait returns the record with this id once it has ended, at once if it has
// already. When ctx ends first the error is its cause; the record stays as it
// is. Other errors are those of [Desk.Get]; one that wraps ErrNotFound also
// says so where the store was taken away while we waited. Nobody polls for
// that: it is noticed at the next ring.
func (d *Desk) Wait(ctx context.Context, id string) (Record, error) {
	if !ValidID(id) {
		return Record{}, ErrNotFound
	}
	wake, err := d.listen(ctx, id)
	if err != nil {
		return Record{}, err
	}
	defer wake.stop()
	// Looked at only after listening, so that a reply is either seen here or
	// heard of below.
	rec, err := d.get(ctx, id)
	for err == nil && rec.Outcome == nil {
		select {
		case _, ok := <-wake.rings:
			if err := wake.err(!ok); err != nil {
				return Record{}, err
			}
		case <-ctx.Done():
			return Record{}, context.Cause(ctx)
		}
		if rec, err = d.get(ctx, id); errors.Is(err, ErrNotFound) {
			err = fmt.Errorf("%w any more: the store, or this question in it, was taken away while somebody waited", err)
		}
	}
	return rec, err
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
// the watch of everything that all of this process share.
func (d *Desk) listen(ctx context.Context, id string) (alarm, error) {
	rings, stop, err := d.store.Bell(ctx, id)
	if err == nil {
		return alarm{rings, func(closed bool) error {
			if closed {
				return errDeaf
			}
			return nil
		}, stop}, nil
	}
	if !errors.Is(err, ErrNoBells) {
		return alarm{}, err
	}
	l, err := d.hub.listen(id)
	if err != nil {
		return alarm{}, err
	}
	return alarm{l.wake, func(bool) error {
		_, _, err := d.hub.news(l)
		return err
	}, func() { d.hub.leave(l) }}, nil
}
