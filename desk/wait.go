package desk

import "context"

// Wait returns the record with this id once it has ended, at once if it has
// already. When ctx ends first the error is its cause; the record stays as it
// is. Other errors are those of [Desk.Get].
func (d *Desk) Wait(ctx context.Context, id string) (Record, error) {
	rec, err := d.get(ctx, id)
	if err != nil || rec.Outcome != nil {
		return rec, err
	}
	sub, err := d.hub.subscribe(id)
	if err != nil {
		return Record{}, err
	}
	defer d.hub.unsubscribe(sub)
	for {
		// Looked at only after subscribing, so that a reply that lands in
		// between is either seen here or heard of below.
		rec, err := d.get(ctx, id)
		if err != nil || rec.Outcome != nil {
			return rec, err
		}
		select {
		case <-sub.wake:
			if _, err := d.hub.take(sub); err != nil {
				return Record{}, err
			}
		case <-ctx.Done():
			return Record{}, context.Cause(ctx)
		}
	}
}
