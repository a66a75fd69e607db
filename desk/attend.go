package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/question"
)

// Request is what an asker wants to know.
type Request struct {
	Set       question.Set
	Session   string // groups the rounds of one dialogue; may be empty
	Asker     Asker
	Timeout   time.Duration // how long the human may take; 0 is for ever
	OnTimeout string        // "default": take the declared defaults then (D14)
}

// Attendance is the right of one asker to wait for a record and to collect its
// outcome. It ends with Release or with the process; then the record is
// detached.
type Attendance struct {
	id      string
	release func()
	once    sync.Once
}

// ID is the record's id.
func (a *Attendance) ID() string { return a.id }

// Release ends the attendance. It may be called more than once, and on nil.
func (a *Attendance) Release() {
	if a != nil {
		a.once.Do(a.release)
	}
}

// Attend claims a record for an asker that comes back for it. It fails with
// ErrAttended while somebody else waits.
func (d *Desk) Attend(ctx context.Context, id string) (*Attendance, error) {
	if !ValidID(id) {
		return nil, ErrNotFound
	}
	release, err := d.store.Lock(ctx, KindAskers, id)
	if errors.Is(err, ErrLocked) {
		return nil, ErrAttended
	}
	if err != nil {
		return nil, fmt.Errorf("attend %s: %w", id, err)
	}
	return &Attendance{id: id, release: release}, nil
}

// Submit asks, unless the same was asked before and nobody waits for it: the
// same content from the same project and client, still open, or answered and
// not collected, no longer ago than the keep time. Then that record is returned
// again, perhaps with its outcome, so that the human is asked once. A question
// that somebody waits for is left to them. The caller holds the attendance.
//
// The error is a *[RoundLimitError] where the session has asked too often in a
// row (D9); an answer to an earlier question is delivered all the same.
func (d *Desk) Submit(ctx context.Context, r Request) (Record, *Attendance, error) {
	same, err := d.store.Marks(ctx, MarkContent, r.content())
	if err != nil {
		return Record{}, nil, fmt.Errorf("look for the same question: %w", err)
	}
	for _, id := range same {
		rec, attendance, err := d.reattach(ctx, id)
		if err != nil {
			return Record{}, nil, err
		}
		if attendance != nil {
			return rec, attendance, nil
		}
	}
	if err := d.checkRounds(ctx, r.Session); err != nil {
		return Record{}, nil, err
	}
	return d.ask(ctx, r)
}

// reattach claims an earlier record, if there is something in it for its
// asker. The attendance is nil where there is not.
func (d *Desk) reattach(ctx context.Context, id string) (Record, *Attendance, error) {
	attendance, err := d.Attend(ctx, id)
	if errors.Is(err, ErrAttended) {
		return Record{}, nil, nil
	}
	if err != nil {
		return Record{}, nil, err
	}
	rec, err := d.get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged):
		// A mark without a record: its asker died before committing it.
	case err != nil:
		attendance.Release()
		return Record{}, nil, err
	case !d.wanted(ctx, rec):
	case rec.Outcome != nil:
		return rec, attendance, nil
	default:
		rec.Attended = true
		if rec.Timeout > 0 {
			d.touch(ctx, id) // nobody's clock has run meanwhile
		}
		return rec, attendance, nil
	}
	attendance.Release()
	return Record{}, nil, nil
}

// wanted reports whether a record that nobody waits for is of use to one who
// asks the same: open, or answered by the human and not archived, and not too
// old. What is of no use is put away.
func (d *Desk) wanted(ctx context.Context, rec Record) bool {
	if _, err := d.archived(ctx, rec.ID); err == nil {
		d.forget(ctx, rec) // it was collected; the mark has stayed behind
		return false
	}
	old := d.age(rec.ID) > d.keep
	switch {
	case rec.Outcome == nil && !old:
		return true
	case rec.Outcome == nil:
		d.expire(ctx, rec)
		return false
	case !old && (rec.State == Answered || rec.State == Dismissed):
		return true
	}
	if err := d.Archive(ctx, rec.ID); err != nil {
		d.log.WarnContext(ctx, "putting an old record away", "id", rec.ID, "error", err)
	}
	return false
}

// expire ends a record that nobody came back for.
func (d *Desk) expire(ctx context.Context, rec Record) {
	reason := fmt.Sprintf("nobody came back for it within %s", d.keep)
	_, err := d.Close(ctx, rec.ID, Outcome{Status: Cancelled, Reason: reason})
	var closed *ClosedError
	if err != nil && !errors.As(err, &closed) {
		d.log.WarnContext(ctx, "a record does not expire", "id", rec.ID, "error", err)
	}
}

// age is how long ago an id was made; never negative, though the clock may
// have been set back.
func (d *Desk) age(id string) time.Duration {
	return max(0, d.now().Sub(ulid.MustParseStrict(id).Timestamp()))
}

// ask commits a new record. Its lock and its marks come first: whoever finds
// it by them, even half made, finds it taken.
func (d *Desk) ask(ctx context.Context, r Request) (Record, *Attendance, error) {
	id, at, err := d.nextID()
	if err != nil {
		return Record{}, nil, fmt.Errorf("number the question: %w", err)
	}
	rec := Record{
		ID: id, SessionID: r.Session, Round: 1, Asker: r.Asker, State: Pending, CreatedAt: at,
		Set: r.Set, Timeout: r.Timeout.Seconds(), OnTimeout: r.OnTimeout, Content: r.content(),
	}
	attendance, err := d.Attend(ctx, id)
	if err != nil {
		return Record{}, nil, fmt.Errorf("store the question: %w", err)
	}
	if err := d.commit(ctx, &rec); err != nil {
		d.forget(context.WithoutCancel(ctx), rec)
		attendance.Release()
		return Record{}, nil, fmt.Errorf("store the question: %w", err)
	}
	rec.Attended = true
	return rec, attendance, nil
}

func (d *Desk) commit(ctx context.Context, rec *Record) error {
	if err := d.store.Mark(ctx, MarkContent, rec.Content, rec.ID); err != nil {
		return err
	}
	if err := d.countRound(ctx, rec); err != nil {
		return err
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return d.store.Create(ctx, KindPending, rec.ID, data)
}

// forget takes a record out of what points to it while it is open.
func (d *Desk) forget(ctx context.Context, rec Record) {
	var errs []error
	if rec.Content != "" {
		errs = append(errs, d.store.Unmark(ctx, MarkContent, rec.Content, rec.ID))
	}
	for _, kind := range []Kind{KindDrafts, KindShowing} {
		errs = append(errs, d.store.Delete(ctx, kind, rec.ID))
	}
	if err := errors.Join(errs...); err != nil {
		d.log.WarnContext(ctx, "cleaning up behind a record", "id", rec.ID, "error", err)
	}
}

// content is a digest of what is asked, by whom and for what project.
func (r *Request) content() string {
	data, err := json.Marshal([]any{r.Set.Questions, r.Asker.Directory, r.Asker.Client, r.Asker.Via})
	if err != nil { // questions are plain data
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
