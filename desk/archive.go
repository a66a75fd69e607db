package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
)

// Archive archives a record that has ended and whose outcome was collected. It may be
// repeated, and completes an interrupted one. The first call of a desk looks for others.
// The error wraps ErrPending for a record that is open.
func (d *Desk) Archive(ctx context.Context, id string) error {
	err := d.archiveID(ctx, id)
	d.tidyUp(ctx)
	return err
}

// CollectRecord is Archive for a record that was waited for, as it has ended: it
// is not read again, unless its host may have settled it otherwise meanwhile.
func (d *Desk) CollectRecord(ctx context.Context, rec Record) error {
	if rec.Asker.Mirrored() {
		return d.Archive(ctx, rec.ID)
	}
	rec.Attended, rec.ShownOn = false, nil // of the moment
	err := d.archiveRecord(ctx, rec)
	d.tidyUp(ctx)
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
	if err := d.createEntry(ctx, rec); err != nil {
		return err
	}
	d.dropWork(ctx, rec) // before the documents: a process that finds those repeats it
	// In this order: see get. The reply is the last to go.
	for _, kind := range []Kind{KindPending, KindReplies} {
		if err := d.store.Delete(ctx, kind, rec.ID); err != nil {
			return fmt.Errorf("archive %s: %w", rec.ID, err)
		}
	}
	d.dropStatement(ctx, rec.ID)
	return nil
}

// createEntry commits a record that has ended to the archive, if it is not there.
func (d *Desk) createEntry(ctx context.Context, rec Record) error {
	data, err := json.Marshal(rec)
	if err == nil {
		err = retryUncertain(func() error { return d.store.Create(ctx, KindArchive, rec.ID, data) })
	}
	switch {
	case err == nil:
		d.remember(ctx, &rec)
	case !errors.Is(err, ErrExists):
		return fmt.Errorf("archive %s: %w", rec.ID, err)
	}
	return nil
}

// dropWork removes what a record needs only while it is open: its mark, its draft,
// where it is shown, files that are in no reply.
func (d *Desk) dropWork(ctx context.Context, rec Record) {
	err := d.Delivered(ctx, rec)
	for _, kind := range []Kind{KindDrafts, KindShowing} {
		err = errors.Join(err, d.store.Delete(ctx, kind, rec.ID))
	}
	err = errors.Join(err, d.dropFiles(ctx, rec.ID, rec.files()))
	if err != nil {
		d.log.WarnContext(ctx, "cleaning up behind a record", "id", rec.ID, "error", err)
	}
}

// Delivered notes that an outcome has reached its asker: the same question is asked anew
// from now on. It is one quick step without a sync, right after the response was written;
// another process may archive the record later. Before the write it could lose an answer;
// after it, a kill between the two delivers an answer twice.
func (d *Desk) Delivered(ctx context.Context, rec Record) error {
	return d.PrepareDelivered(ctx, rec)()
}

// PrepareDelivered does what can be done of Delivered before the response is
// written, and returns the rest: in the embedded store one system call separates
// the write from the mark.
func (d *Desk) PrepareDelivered(ctx context.Context, rec Record) (delivered func() error) {
	if rec.Content == "" {
		return func() error { return nil }
	}
	if of, ok := d.store.(Unmarker); ok {
		if unmark, err := of.PrepareUnmark(ctx, MarkContent, rec.Content, rec.ID); err == nil {
			return unmark
		}
	}
	return func() error { return d.store.Unmark(ctx, MarkContent, rec.Content, rec.ID) }
}

// reusable reports whether a record, claimed by the caller, is of use to an asker that
// asks the same. Where it is not, it is archived. The record is returned as it is then.
func (d *Desk) reusable(ctx context.Context, rec Record) (Record, bool) {
	if _, err := d.archived(ctx, rec.ID); err != nil { // else it was collected, by a process that died then
		if rec.Outcome == nil && d.overdue(ctx, &rec) {
			rec = d.expire(ctx, rec)
		}
		if !d.spent(ctx, &rec) {
			return rec, true
		}
	}
	if err := d.archiveID(ctx, rec.ID); err != nil { // the next process that meets it tries again
		d.log.WarnContext(ctx, "archiving an old record", "id", rec.ID, "error", err)
	}
	return rec, false
}

// spent reports whether a record is of no use to an asker that asks the same: it is
// overdue, it has ended without the human, or its outcome was delivered, which removes
// the mark that leads to it.
func (d *Desk) spent(ctx context.Context, rec *Record) bool {
	switch {
	case d.overdue(ctx, rec):
		return true
	case rec.Outcome == nil:
		return false
	case rec.Outcome.Reply == nil:
		return true
	case rec.Outcome.Unsettled: // its host decides
		return false
	}
	marked, err := d.store.Marks(ctx, MarkContent, rec.Content)
	return err == nil && rec.Content != "" && !slices.Contains(marked, rec.ID)
}

// overdue reports whether a record has been kept for as long as its asker wanted,
// counted from the question, the last work on it, or its end. A clock that was
// set back makes it younger, never older.
func (d *Desk) overdue(ctx context.Context, rec *Record) bool {
	keep := cmp.Or(rec.Keep, d.keepTime.Seconds())
	old := func(since time.Time) bool { return d.now().Sub(since).Seconds() > keep }
	if !old(ulid.MustParseStrict(rec.ID).Timestamp()) {
		return false
	}
	if rec.Outcome != nil {
		return old(rec.Outcome.At)
	}
	x, err := d.loadDraft(ctx, rec.ID) // not while a human is typing
	return err != nil || old(x.At)
}

// expire ends a record, claimed by the caller, whose asker did not come back. It
// is returned as it has ended: perhaps by the human, in this moment.
func (d *Desk) expire(ctx context.Context, rec Record) Record {
	ended, err := d.Close(ctx, rec.ID, Outcome{Status: Cancelled, Reason: "nobody came back for the answer"})
	if _, closed := errors.AsType[*ClosedError](err); err == nil || closed {
		return ended
	}
	d.log.WarnContext(ctx, "a record does not expire", "id", rec.ID, "error", err)
	return rec
}

// tidyUp ends, once, what is overdue, archives what processes that died have left of ended
// records, and prunes once a day. Callers run it after a delivery, when no call waits for it.
func (d *Desk) tidyUp(ctx context.Context) {
	d.sweep.Do(func() {
		if err := cmp.Or(d.archiveAll(ctx, KindReplies), d.archiveAll(ctx, KindPending)); err != nil {
			d.log.WarnContext(ctx, "looking for old records", "error", err)
		}
	})
	d.pruneDaily(ctx)
}

// archiveAll is archiveSpent for all records of a collection. Few have a reply and are not
// archived.
func (d *Desk) archiveAll(ctx context.Context, kind Kind) error {
	ids, err := d.list(ctx, kind, Range{})
	if err != nil {
		return err
	}
	return d.archiveEach(ctx, ids)
}

// archiveEach is archiveSpent for the records of ids.
func (d *Desk) archiveEach(ctx context.Context, ids []string) error {
	for rec, err := range d.getEach(ctx, ids...) {
		if err != nil {
			return err
		}
		d.archiveSpent(ctx, &rec)
	}
	return nil
}

// archiveSpent archives a record that is spent, unless an asker waits for it.
func (d *Desk) archiveSpent(ctx context.Context, rec *Record) {
	if !d.spent(ctx, rec) {
		return
	}
	attendance, err := d.claim(ctx, rec.ID)
	switch {
	case errors.Is(err, ErrAttended), errors.Is(err, ErrDenied): // its owner archives it
		return
	case err == nil:
		defer attendance.Release()
		var now Record // which no other can collect
		if now, err = d.get(ctx, rec.ID); err == nil {
			d.reusable(ctx, now)
		}
	}
	if err != nil {
		d.log.WarnContext(ctx, "an old record stays", "id", rec.ID, "error", err)
	}
}
