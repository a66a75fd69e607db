package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// SessionKeep is how long a session is known after its last question. Until
// then its rounds are counted on and its dialogue can be looked at and resumed;
// the history knows each of its questions for ever.
const SessionKeep = 30 * 24 * time.Hour

// RoundLimitError means that a session has asked too many rounds in a row.
// The user can lift the limit; a pause lifts it too.
type RoundLimitError struct {
	Session string
	Limit   int
}

// refusal is part of the reason of a call that was refused for that.
const refusal = "recursive_limit_exceeded"

func (e *RoundLimitError) Error() string {
	return fmt.Sprintf("go on without asking: %d rounds in a row is the limit ("+refusal+"); a pause lifts it, or the user", e.Limit)
}

// Refused reports whether a call ended like this because its session had asked
// too many rounds in a row: the human was not asked, and can lift the limit.
func (o *Outcome) Refused() bool {
	return o.Status == Unavailable && strings.Contains(o.Reason, refusal)
}

// number gives a new record its id, its time and its round: its place in its
// session, whatever process asked the others. The error is a *RoundLimitError
// where it would be more than limit in a row; 0 is no limit.
func (d *Desk) number(ctx context.Context, rec *Record, limit int) error {
	d.numbering.Lock() // from the id to the mark, so that the order of both is one
	defer d.numbering.Unlock()
	err := d.placeRecord(ctx, rec)
	if err != nil {
		return fmt.Errorf("number the question: %w", err)
	}
	rec.Round = 1
	if err = d.joinSession(ctx, rec, limit); err != nil {
		d.takeBack(context.WithoutCancel(ctx), *rec)
	}
	return err
}

// joinSession marks a new record as one of its session's, and finds its round.
func (d *Desk) joinSession(ctx context.Context, rec *Record, limit int) error {
	var earlier []string
	for i, name := range rec.rows() {
		// Marked first and counted then: of several processes that ask at once,
		// none overlooks another.
		err := d.store.Mark(ctx, MarkSessions, name, rec.ID)
		if err == nil {
			earlier, err = d.store.Marks(ctx, MarkSessions, name)
		}
		if err != nil {
			return fmt.Errorf("number the question: %w", err)
		}
		n, _ := slices.BinarySearch(earlier, rec.ID)
		if earlier = earlier[:n]; i == 0 {
			rec.Round = n + 1
		}
	}
	if limit <= 0 {
		return nil
	}
	full, err := d.rowIsFull(ctx, rec.SessionID, earlier, rec.CreatedAt, limit, 0)
	if err == nil && full {
		err = &RoundLimitError{rec.SessionID, limit}
	}
	if near := limit - 1 - nearLimit; err == nil && rec.Round > near {
		rec.NearLimit = near <= 0
		if near > 0 {
			rec.NearLimit, err = d.rowIsFull(ctx, rec.SessionID, earlier, rec.CreatedAt, near, 0)
		}
	}
	return err
}

// nearLimit is how many rounds may be left after one for it to be near the limit.
const nearLimit = 2

// rows are the indexes of a record of a session: its session's, and last the one in
// which it is counted.
func (rec *Record) rows() []string {
	switch {
	case rec.SessionID == "":
		return nil
	case rec.Row == "":
		return []string{sessionName(rec.SessionID)}
	}
	return []string{sessionName(rec.SessionID), rec.Row}
}

// AtLimit reports whether the session's next question would be refused, once
// the one that is open, if one is, has been answered.
func (d *Desk) AtLimit(ctx context.Context, session string) (bool, error) {
	if session == "" || d.maxRounds <= 0 {
		return false, nil
	}
	ids, err := d.store.Marks(ctx, MarkSessions, sessionName(session))
	if err != nil || len(ids) == 0 {
		return false, err
	}
	last, _ := d.get(ctx, ids[len(ids)-1]) // unreadable, it is as one that names no row
	last.SessionID = session
	rows := last.rows()
	ids, err = d.store.Marks(ctx, MarkSessions, rows[len(rows)-1])
	if err != nil {
		return false, err
	}
	return d.rowIsFull(ctx, session, ids, d.now(), d.maxRounds, 1)
}

// rowIsFull reports whether the last limit rounds followed each other without a pause, and
// have ended but for mayBeOpen of them. Questions that are open side by side are no rounds
// yet; those that the human cannot have seen are none. A discussion ends the row. A limit
// of 0 is none.
func (d *Desk) rowIsFull(ctx context.Context, session string, rounds []string, now time.Time, limit, mayBeOpen int) (bool, error) {
	if limit <= 0 || len(rounds) < limit {
		return false, nil
	}
	next, counted := now, 0
	for _, id := range slices.Backward(rounds[max(0, len(rounds)-10*limit):]) { // not all unseen ones
		at := ulid.MustParseStrict(id).Timestamp()
		if next.Sub(at) > d.pause {
			return false, nil
		}
		next = at
		rec, err := d.get(ctx, id)
		switch {
		case d.leaveOut(ctx, id, err):
			continue
		case err != nil:
			return false, err
		case rec.Earlier != "": // the human's wish
			continue
		case rec.Outcome == nil:
			if mayBeOpen--; mayBeOpen < 0 {
				return false, nil
			}
		case !rec.Outcome.seen():
			continue
		case rec.Outcome.Status == Discuss:
			return false, nil
		}
		if counted++; counted == limit {
			lifted, err := d.store.Marks(ctx, MarkLifted, sessionName(session))
			return len(lifted) == 0, err
		}
	}
	return false, nil
}

// seen reports whether the human can have seen a question that ended like this.
func (o *Outcome) seen() bool { return o.Reply != nil || o.Status != Unavailable && !o.Unseen }

// Continues returns nil where an asker may continue the session that it names: a new one, or
// one that the same client and agent began for the same project. The error is otherwise
// ErrForeignSession, or a failure of the store. A session shares rounds and history, not
// answers: [Desk.Submit] finds those by content.
func (d *Desk) Continues(ctx context.Context, session string, by Asker) error {
	for rec, err := range d.inSession(ctx, session) {
		switch {
		case err != nil:
			return err
		case rec.Asker.Client != by.Client || rec.Asker.Agent != by.Agent || rec.Asker.Directory != by.Directory:
			return ErrForeignSession
		}
		return nil
	}
	return nil
}

// Lift lifts the round limit for a session, on the user's word. The error is
// ErrNoSession for one that has not asked.
func (d *Desk) Lift(ctx context.Context, session string) error {
	asked, err := d.store.Marks(ctx, MarkSessions, sessionName(session))
	if err != nil {
		return err
	}
	if len(asked) == 0 {
		return fmt.Errorf("%w: %q", ErrNoSession, session)
	}
	for _, id := range lastOfEachOwner(asked) {
		err = errors.Join(err, d.store.Mark(ctx, MarkLifted, sessionName(session), id))
	}
	return err
}

// Session returns the records of a session, oldest first, archived ones too.
func (d *Desk) Session(ctx context.Context, session string) ([]Record, error) {
	var out []Record
	for rec, err := range d.inSession(ctx, session) {
		if err != nil {
			return nil, err
		}
		d.addPresence(ctx, &rec)
		out = append(out, rec)
	}
	return out, nil
}

// inSession yields the records of a session, the oldest first, and none of those that are
// counted in it and belong to another. An error is the last that it yields.
func (d *Desk) inSession(ctx context.Context, session string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		ids, err := d.store.Marks(ctx, MarkSessions, sessionName(session))
		if err != nil {
			yield(Record{}, err)
			return
		}
		for rec, err := range d.getEach(ctx, ids...) {
			if (err != nil || rec.SessionID == session) && !yield(rec, err) {
				return
			}
		}
	}
}

// sessionName makes a file name of a session's id, which is foreign text.
func sessionName(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:16])
}
