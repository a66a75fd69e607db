package desk

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mcp-askuser/desk/store"
)

// Attendance is the right of one asker to wait for a record and to collect its
// outcome. It ends with Release or with the process; then the record is
// detached.
type Attendance struct {
	desk     *Desk
	id       string
	used     time.Time // see [Record.used]
	released atomic.Bool
}

// Release ends the attendance. It may be called more than once, and on nil.
func (a *Attendance) Release() {
	if a == nil || a.released.Swap(true) {
		return
	}
	const limit = 2 * time.Second // a call waits for it, and a shared desk may not answer
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, ErrUnreachable)
	defer cancel()
	if a.desk.now().Sub(a.used) > a.desk.keepTime/2 { // it is kept from now on, and not since it was asked
		a.desk.restartClock(ctx, a.id)
	}
	err := a.desk.store.Release(ctx, a.id)
	if err != nil && !errors.Is(err, ErrNotFound) {
		a.desk.log.Warn("a question stays with an asker that has gone", "id", a.id, "error", err)
		a.released.Store(false)
	}
}

// Held reports whether the attendance has not ended: Release may be tried again.
func (a *Attendance) Held() bool { return a != nil && !a.released.Load() }

// attendance is that of a row which this process attends.
func (d *Desk) attendance(row *store.Row) *Attendance {
	return &Attendance{desk: d, id: row.ID, used: row.At}
}

// Attend claims a record for an asker that comes back for it. The error is
// ErrAttended while another waits, or one of [Desk.Get].
func (d *Desk) Attend(ctx context.Context, id string) (*Attendance, error) {
	if !ValidID(id) {
		return nil, ErrNotFound
	}
	row, err := d.store.Attend(ctx, id)
	if err != nil {
		return nil, err
	}
	attendance := d.attendance(&row)
	rec, err := d.decode(ctx, row, d.prove)
	attendance.used = rec.used()
	if err != nil {
		attendance.Release()
		return nil, err
	}
	return attendance, nil
}

// Wait returns the record with this id once it has ended. When ctx ends first the error is
// its cause. Other errors are those of [Desk.Get], or wrap ErrLost where the store was
// removed during the wait.
func (d *Desk) Wait(ctx context.Context, id string) (Record, error) {
	if !ValidID(id) {
		return Record{}, ErrNotFound
	}
	row, err := d.store.Wait(ctx, id)
	if err != nil {
		return Record{}, err
	}
	return d.decode(ctx, row, d.prove)
}

// Await is [Desk.Wait] for a record that existed before, and waits again where the store cannot be read
// for a while, as on a full disk. The error wraps ErrLost where the record was removed.
func (d *Desk) Await(ctx context.Context, id string) (Record, error) {
	for {
		rec, err := d.Wait(ctx, id)
		if errors.Is(err, ErrNotFound) && !errors.Is(err, ErrLost) {
			err = fmt.Errorf("%w (%w)", ErrLost, err)
		}
		final := errors.Is(err, ErrLost) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer)
		if err == nil || final || ctx.Err() != nil {
			return rec, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// Delivered notes that the outcome of a record has reached its asker: the same question is
// asked anew from now on. Before the response was written it could lose an answer; after it,
// a kill between the two delivers an answer twice. It releases the record. The error is
// ErrPending for one that is open.
func (d *Desk) Delivered(ctx context.Context, id string) error {
	row, err := d.store.Get(ctx, id)
	if err == nil && row.Outcome == nil {
		err = ErrPending
	}
	if err != nil || row.Delivered {
		return err
	}
	d.asked.Delete(id)
	return d.store.Delivered(ctx, id)
}

// tidyEvery is how often a process tidies up, in seconds.
const tidyEvery = 24 * 60 * 60

// TidyUp ends the records that nobody came back for, and prunes the history, at most once a
// day. Callers run it after a delivery, when no call waits for it.
func (d *Desk) TidyUp(ctx context.Context) {
	now, last := d.now(), d.tidied.Load()
	if now.Unix()-last < tidyEvery || !d.tidied.CompareAndSwap(last, now.Unix()) {
		return
	}
	err := d.expire(ctx)
	if err == nil && d.keepHistory > 0 {
		_, err = d.Prune(ctx, now.Add(-d.keepHistory), false)
	}
	if err != nil {
		d.log.WarnContext(ctx, "ending and pruning old questions", "error", err)
	}
}

// expire ends the records of this machine that were kept for as long as their askers wanted.
func (d *Desk) expire(ctx context.Context) error {
	for rec, err := range d.records(ctx, store.Query{Open: true}, d.prove) {
		if err != nil {
			return err
		}
		if rec.Home != "" || !d.overdue(&rec) {
			continue
		}
		_, err = d.Close(ctx, rec.ID, Outcome{Status: Cancelled, Reason: "nobody came back for the answer"})
		closed := (*ClosedError)(nil)
		if err != nil && !errors.As(err, &closed) {
			return err
		}
	}
	return nil
}

// Prune removes the questions that were asked before a time and have ended, and returns how
// many; dry, it only counts. What is open, not collected and kept still, or the earlier
// record of an open one stays.
func (d *Desk) Prune(ctx context.Context, before time.Time, dry bool) (int, error) {
	pruned, err := d.store.Prune(ctx, before, dry)
	if err == nil && !dry {
		err = d.removeCopies(ctx)
	}
	return pruned, err
}
