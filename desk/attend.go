package desk

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Attendance is the right of one asker to wait for a record and to collect its
// outcome. It ends with Release or with the process; then the record is
// detached.
type Attendance struct {
	release func() // as often as one likes
}

// Release ends the attendance. It may be called more than once, and on nil.
func (a *Attendance) Release() {
	if a != nil {
		a.release()
	}
}

// Attend claims a record for an asker that comes back for it. The error is
// ErrAttended while another waits, or one of [Desk.Get].
func (d *Desk) Attend(ctx context.Context, id string) (*Attendance, error) {
	if !ValidID(id) {
		return nil, ErrNotFound
	}
	attendance, err := d.claim(ctx, id)
	if err != nil {
		return nil, err
	}
	if _, err := d.get(ctx, id); err != nil {
		attendance.Release()
		return nil, err
	}
	return attendance, nil
}

// claim is Attend for a record that need not be there (yet).
func (d *Desk) claim(ctx context.Context, id string) (*Attendance, error) {
	release, err := d.store.Lock(ctx, KindAskers, id)
	if errors.Is(err, ErrLocked) {
		return nil, ErrAttended
	}
	if err != nil {
		return nil, fmt.Errorf("attend %s: %w", id, err)
	}
	return &Attendance{release: sync.OnceFunc(release)}, nil
}

// Wait returns the record with this id once it has ended. When ctx ends first the error is
// its cause. Other errors are those of [Desk.Get], or wrap ErrLost where the store was
// removed, or became unreadable, during the wait.
func (d *Desk) Wait(ctx context.Context, id string) (rec Record, err error) {
	if !ValidID(id) {
		return Record{}, ErrNotFound
	}
	waited := false
	look := func() bool {
		rec, err = d.get(ctx, id)
		if waited {
			err = Lost(err)
		}
		if waited && errors.Is(err, ErrUnreachable) {
			err = nil // the bell rings again
		}
		waited = true
		return err != nil || rec.Outcome != nil
	}
	broken := d.store.Bell(ctx, id, look)
	if errors.Is(broken, ErrNoBells) {
		broken = d.hub.bell(ctx, id, look)
	}
	if broken != nil {
		return Record{}, broken
	}
	return rec, err
}

// Lost returns the error of reading a record that was there before, which wraps
// [ErrLost] where the record cannot be read again.
func Lost(err error) error {
	if errors.Is(err, ErrLost) || !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrUnreadable) {
		return err
	}
	return fmt.Errorf("%w (%w)", ErrLost, err)
}
