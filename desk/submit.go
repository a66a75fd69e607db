package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcp-askuser/question"
)

// Request is what an asker wants to know.
type Request struct {
	Set       question.Set
	Session   string // groups the rounds of one dialogue; may be empty
	Asker     Asker
	Timeout   time.Duration // how long the human may take; 0 is for ever
	OnTimeout string        // "default": take the declared defaults then
	Prove     bool          // see [Record]
	Rounds    int           // see [Record]
	ToolUse   string        // see [Record]
	// Row is what rounds must share to be in a row: the host's session where the
	// asker names another as Session, the user's prompt where the host tells it.
	// Empty: the session.
	Row string
	// Sole, of a question to be mirrored, is what its host calls it where several
	// processes may be told of it: one of them has it at a time. May be empty.
	Sole string

	earlier string // the record that is reopened
}

// Submit asks, or returns an earlier record with the same content from the same project and
// client, perhaps with its outcome, so that the human is asked once: one that is open, or
// answered and not collected, within the keep time, and has no waiting asker. The caller
// holds the attendance.
//
// The error is a *[RoundLimitError] where the session has asked too often in a row; the
// refused call is kept in the history. An earlier answer is delivered all the same.
func (d *Desk) Submit(ctx context.Context, r Request) (Record, *Attendance, error) {
	d.require(ctx, &r)
	same, err := d.findDuplicates(ctx, &r)
	if err != nil {
		return Record{}, nil, err
	}
	for _, id := range same {
		rec, attendance, err := d.reattach(ctx, id, &r)
		if err != nil || attendance != nil {
			return rec, attendance, err
		}
	}
	rec, attendance, err := d.ask(ctx, r, d.maxRounds)
	if refused, ok := errors.AsType[*RoundLimitError](err); ok {
		if _, err := d.Note(ctx, r, Outcome{Status: Unavailable, Reason: refused.Error()}); err != nil {
			d.log.WarnContext(ctx, "a call that was refused leaves no trace", "session", r.Session, "error", err)
		}
	}
	return rec, attendance, err
}

// findDuplicates returns the ids of records that ask the same and are not delivered.
func (d *Desk) findDuplicates(ctx context.Context, r *Request) ([]string, error) {
	if r.Unlike() {
		return nil, nil
	}
	ids, err := d.store.Marks(ctx, MarkContent, r.Content())
	if err != nil {
		err = fmt.Errorf("look for the same question: %w", err)
	}
	return ids, err
}

// Note archives a call that the human is not asked: one that was refused, or that brought
// all its answers along. It is no round of its session. The record is returned even where
// it could not be kept.
func (d *Desk) Note(ctx context.Context, r Request, o Outcome) (Record, error) {
	if err := o.check(); err != nil {
		return Record{}, fmt.Errorf("keep a call: %w", err)
	}
	rec := r.record()
	err := d.placeRecord(ctx, &rec)
	if o.Reply != nil {
		o.Answerer = d.Answerer(Evidence{How: HowCollected}, rec.Asker)
	}
	d.stamp(&o)
	rec.State, rec.Outcome = o.Status, &o
	if err != nil {
		return rec, fmt.Errorf("keep a call: %w", err)
	}
	return rec, d.createEntry(ctx, rec)
}

// reattach claims an earlier record, if it is of use to its asker. The attendance is
// nil where it is not.
func (d *Desk) reattach(ctx context.Context, id string, r *Request) (Record, *Attendance, error) {
	attendance, err := d.claim(ctx, id)
	if errors.Is(err, ErrAttended) {
		return Record{}, nil, nil
	}
	if err != nil {
		return Record{}, nil, err
	}
	rec, err := d.get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		// Its asker died before it had committed the record: had it not, it
		// would hold the lock that is ours now.
		err = d.store.Unmark(ctx, MarkContent, r.Content(), id)
	case d.leaveOut(ctx, id, err):
		err = nil
	case err == nil && r.asks(&rec) != nil:
		d.log.ErrorContext(ctx, "a question in the store is not the one that was asked, and is left out", "id", id, "error", r.asks(&rec))
	case err == nil:
		d.keepStatement(ctx, &rec)
		var usable bool
		if rec, usable = d.reusable(ctx, rec); usable {
			if rec.Outcome == nil {
				rec.Attended = true
				if rec.Timeout > 0 {
					d.restartClock(ctx, id) // it was not timed meanwhile
				}
			}
			return rec, attendance, nil
		}
	}
	attendance.Release()
	return Record{}, nil, err
}

// ask commits a new record; limit is the most rounds in a row. Its lock comes
// before its mark: an asker that finds the mark, of a record half made, finds it
// taken.
func (d *Desk) ask(ctx context.Context, r Request, limit int) (Record, *Attendance, error) {
	rec := r.record()
	rec.Keep = d.keepTime.Seconds()
	if err := d.number(ctx, &rec, limit); err != nil {
		return Record{}, nil, err
	}
	attendance, err := d.claim(ctx, rec.ID)
	if err == nil {
		err = d.commit(ctx, rec)
	}
	if err != nil {
		d.takeBack(context.WithoutCancel(ctx), rec)
		attendance.Release()
		return Record{}, nil, fmt.Errorf("store the question: %w", err)
	}
	d.keepStatement(ctx, &rec)
	rec.Attended = true
	return rec, attendance, nil
}

func (d *Desk) commit(ctx context.Context, rec Record) error {
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if rec.Content != "" {
		if err := d.store.Mark(ctx, MarkContent, rec.Content, rec.ID); err != nil {
			return err
		}
	}
	if rec.Earlier != "" {
		if err := d.store.Mark(ctx, MarkReopened, rec.Earlier, rec.ID); err != nil {
			return err
		}
	}
	return retryUncertain(func() error { return d.store.Create(ctx, KindPending, rec.ID, data) })
}

// takeBack removes the marks of a record that could not be stored, unless it is
// there nevertheless: a commit can fail in its last step, the sync.
func (d *Desk) takeBack(ctx context.Context, rec Record) {
	if _, err := d.store.Get(ctx, KindPending, rec.ID); !errors.Is(err, ErrNotFound) {
		return
	}
	if err := d.unmark(ctx, &rec); err != nil {
		d.log.WarnContext(ctx, "cleaning up behind a question that was not stored", "id", rec.ID, "error", err)
	}
}

// unmark removes the marks that were made when a record was asked.
func (d *Desk) unmark(ctx context.Context, rec *Record) error {
	err := d.Delivered(ctx, *rec)
	for _, name := range rec.rows() {
		err = errors.Join(err, d.store.Unmark(ctx, MarkSessions, name, rec.ID))
	}
	if rec.Earlier != "" {
		err = errors.Join(err, d.store.Unmark(ctx, MarkReopened, rec.Earlier, rec.ID))
	}
	return err
}

// Unlike reports whether the request is like no other: a confirmation in no
// dialogue, which only its ticket leads back to.
func (r *Request) Unlike() bool { return r.Session == "" && r.Set.Confirms() }

// record is the record of a request, without its number.
func (r *Request) record() Record {
	asker := r.Asker
	if asker.PID > 0 {
		asker.Machine = thisMachine()
	}
	rec := Record{
		SessionID: r.Session, Asker: asker, State: Pending, Set: r.Set,
		Timeout: r.Timeout.Seconds(), OnTimeout: r.OnTimeout, Prove: r.Prove, Earlier: r.earlier, Rounds: r.Rounds, ToolUse: r.ToolUse,
	}
	if r.Row != "" && r.Row != r.Session {
		rec.Row = sessionName(r.Row)
	}
	if !r.Asker.Mirrored() { // its host has it, and does not ask again
		rec.Content = r.Content()
	}
	return rec
}

// Content is a digest of what is asked, by whom and for what project. An agent
// with a token shares its questions with no other. A yes from another dialogue
// confirms nothing: to a confirmation its session belongs too.
func (r *Request) Content() string {
	what := []any{r.Set.Questions, r.Asker.Directory, r.Asker.Client, r.Asker.Via}
	if r.Prove {
		what = append(what, "prove")
	}
	if r.Set.Confirms() {
		what = append(what, r.Session)
	}
	if r.Asker.Agent != "" {
		what = append(what, map[string]string{"agent": r.Asker.Agent})
	}
	return digest(what)
}
