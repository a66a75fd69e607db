package desk

import (
	"context"
	"errors"
	"fmt"

	"mcp-askuser/internal/ownstack"
)

// Wait returns the record with this id once it has ended, at once if it has
// already. When ctx ends first the error is its cause; the record stays as it
// is. Other errors are those of [Desk.Get]; one that wraps ErrNotFound also
// says so where the store was taken away while we waited. Nobody polls for
// that: it is noticed at the next ring.
func (d *Desk) Wait(ctx context.Context, id string) (Record, error) {
	rec, err := d.WaitFor(ctx, id)
	if err != nil {
		return Record{}, err
	}
	return *rec, nil
}

// WaitFor is Wait for one of thousands: no record is on the stack that waits.
func (d *Desk) WaitFor(ctx context.Context, id string) (rec *Record, err error) {
	if !ValidID(id) {
		return nil, ErrNotFound
	}
	looked := false
	look := func() bool {
		ownstack.Run(func() {
			var now Record
			if now, err = d.get(ctx, id); err == nil && now.Outcome != nil {
				rec = &now
			}
		})
		if looked && errors.Is(err, ErrNotFound) {
			err = fmt.Errorf("%w any more: the store, or this question in it, was taken away while somebody waited", err)
		}
		looked = true
		return err != nil || rec != nil
	}
	broken := d.store.Bell(ctx, id, look)
	if errors.Is(broken, ErrNoBells) {
		broken = d.hub.bell(ctx, id, look)
	}
	if broken != nil {
		return nil, broken
	}
	return rec, err
}
