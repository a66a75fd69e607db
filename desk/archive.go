package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Archive moves a record that has ended out of the way, once its outcome has
// been collected. It may be repeated, and finishes what a process left half
// done. The error wraps ErrPending for a record that has not ended.
func (d *Desk) Archive(ctx context.Context, id string) error {
	rec, err := d.get(ctx, id)
	if err != nil {
		return err
	}
	if rec.Outcome == nil {
		return fmt.Errorf("archive %s: %w", id, ErrPending)
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("archive %s: %w", id, err)
	}
	err = surely(func() error { return d.store.Create(ctx, KindArchive, id, data) })
	if err != nil && !errors.Is(err, ErrExists) {
		return fmt.Errorf("archive %s: %w", id, err)
	}
	d.forget(ctx, rec) // before the rest, so that one who finds the rest repeats it
	// In this order: see get. The reply is the last to go.
	for _, kind := range []Kind{KindPending, KindReplies} {
		if err := d.store.Delete(ctx, kind, id); err != nil {
			return fmt.Errorf("archive %s: %w", id, err)
		}
	}
	return nil
}

// forget takes away what a record needs only while it waits: its mark, what was
// being typed, where it was shown.
func (d *Desk) forget(ctx context.Context, rec Record) {
	var err error
	if rec.Content != "" {
		err = d.store.Unmark(ctx, MarkContent, rec.Content, rec.ID)
	}
	for _, kind := range []Kind{KindDrafts, KindShowing} {
		err = errors.Join(err, d.store.Delete(ctx, kind, rec.ID))
	}
	if err != nil {
		d.log.WarnContext(ctx, "cleaning up behind a record", "id", rec.ID, "error", err)
	}
}

// Collect puts a record away whose outcome its asker has got.
func (d *Desk) Collect(ctx context.Context, id string) error { return d.Archive(ctx, id) }
