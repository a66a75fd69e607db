package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Archive moves a record that has ended out of the way, once its outcome has
// been collected. It may be repeated, and finishes what a process left half
// done; the first call of a desk looks for more of that. The error wraps
// ErrPending for a record that has not ended.
func (d *Desk) Archive(ctx context.Context, id string) error {
	err := d.archiveID(ctx, id)
	d.sweep.Do(func() { d.clearUp(ctx) }) // a moment when nobody waits for us
	return err
}

func (d *Desk) archiveID(ctx context.Context, id string) error {
	rec, err := d.get(ctx, id)
	if err != nil {
		return err
	}
	return d.archiveRecord(ctx, rec)
}

// archiveRecord is archiveID for a record as the store has it.
func (d *Desk) archiveRecord(ctx context.Context, rec Record) error {
	if rec.Outcome == nil {
		return fmt.Errorf("archive %s: %w", rec.ID, ErrPending)
	}
	if err := d.archive(ctx, rec); err != nil {
		return err
	}
	d.forget(ctx, rec) // before the rest, so that one who finds the rest repeats it
	// In this order: see get. The reply is the last to go.
	for _, kind := range []Kind{KindPending, KindReplies} {
		if err := d.store.Delete(ctx, kind, rec.ID); err != nil {
			return fmt.Errorf("archive %s: %w", rec.ID, err)
		}
	}
	return nil
}

// archive commits a record that has ended to the archive, if it is not there.
func (d *Desk) archive(ctx context.Context, rec Record) error {
	data, err := json.Marshal(rec)
	if err == nil {
		err = surely(func() error { return d.store.Create(ctx, KindArchive, rec.ID, data) })
	}
	switch {
	case err == nil:
		d.remember(ctx, &rec)
	case !errors.Is(err, ErrExists):
		return fmt.Errorf("archive %s: %w", rec.ID, err)
	}
	return nil
}

// forget takes away what a record needs only while it waits: its mark, what was
// being typed, where it was shown.
func (d *Desk) forget(ctx context.Context, rec Record) {
	err := d.Delivered(ctx, rec)
	for _, kind := range []Kind{KindDrafts, KindShowing} {
		err = errors.Join(err, d.store.Delete(ctx, kind, rec.ID))
	}
	if err != nil {
		d.log.WarnContext(ctx, "cleaning up behind a record", "id", rec.ID, "error", err)
	}
}

// Delivered says that an outcome has reached its asker: one who asks the same
// again asks anew, while the record is still found by its id. It is one quick
// step without a sync, to be done in the same breath in which the response was
// written; the archiving may come later, and in another process.
//
// It never comes before the write. A kill between the two then delivers an
// answer twice, which does little harm; the other way round it would lose an
// answer that the human gave.
func (d *Desk) Delivered(ctx context.Context, rec Record) error {
	if rec.Content == "" {
		return nil
	}
	return d.store.Unmark(ctx, MarkContent, rec.Content, rec.ID)
}

// CollectRecord is Archive for a record that was waited for, as it has ended: it
// need not be read again, unless its host may have said otherwise meanwhile.
func (d *Desk) CollectRecord(ctx context.Context, rec Record) error {
	if rec.Asker.Mirrored() {
		return d.Archive(ctx, rec.ID)
	}
	rec.Attended, rec.ShownOn = false, nil // of the moment
	err := d.archiveRecord(ctx, rec)
	d.sweep.Do(func() { d.clearUp(ctx) })
	return err
}
