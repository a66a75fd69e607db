package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// SessionKeep is how long a session is known after its last question. Until
// then its rounds are counted on and its dialogue can be looked at and resumed
// (D8, D11, D13); the history knows each of its questions for ever.
const SessionKeep = 30 * 24 * time.Hour

// RoundLimitError means that a session has asked too many rounds in a row (D9).
// The user can lift the limit; a pause lifts it too.
type RoundLimitError struct {
	Session string
	Limit   int
}

// refusal begins the reason of a call that was refused for that.
const refusal = "recursive_limit_exceeded"

func (e *RoundLimitError) Error() string {
	return fmt.Sprintf(refusal+": %d rounds in a row; wait, or let the user lift the limit", e.Limit)
}

// Refused reports whether a call ended like this because its session had asked
// too many rounds in a row: the human was not asked, and can lift the limit.
func (o *Outcome) Refused() bool {
	return o.Status == Unavailable && strings.HasPrefix(o.Reason, refusal)
}

// number gives a new record its id, its time and its round: its place in its
// session, whatever process asked the others. The error is a *RoundLimitError
// where it would be more than limit in a row; 0 is no limit.
func (d *Desk) number(ctx context.Context, rec *Record, limit int) error {
	d.numbering.Lock() // from the id to the mark, so that the order of both is one
	defer d.numbering.Unlock()
	var err error
	if rec.ID, rec.CreatedAt, err = d.nextID(); err != nil {
		return fmt.Errorf("number the question: %w", err)
	}
	rec.Round = 1
	if rec.SessionID == "" {
		return nil
	}
	name := sessionName(rec.SessionID)
	if err := d.store.Mark(ctx, MarkSessions, name, rec.ID); err != nil {
		return fmt.Errorf("number the question: %w", err)
	}
	// Marked first and counted then: of several processes that ask at once,
	// none overlooks another.
	ids, err := d.store.Marks(ctx, MarkSessions, name)
	if err == nil {
		earlier, _ := slices.BinarySearch(ids, rec.ID)
		rec.Round = earlier + 1
		err = d.checkRounds(ctx, rec.SessionID, ids[:earlier], rec.CreatedAt, limit)
	}
	if err != nil {
		d.takeBack(context.WithoutCancel(ctx), *rec)
	}
	return err
}

// checkRounds returns a *RoundLimitError where a further round after the
// earlier ones would be one too many.
func (d *Desk) checkRounds(ctx context.Context, session string, earlier []string, now time.Time, limit int) error {
	full, err := d.rowIsFull(ctx, session, earlier, now, limit, 0)
	if err == nil && full {
		return &RoundLimitError{session, limit}
	}
	return err
}

// AtLimit reports whether the session's next question would be refused, once
// the one that is open, if one is, has been answered.
func (d *Desk) AtLimit(ctx context.Context, session string) (bool, error) {
	if session == "" {
		return false, nil
	}
	ids, err := d.store.Marks(ctx, MarkSessions, sessionName(session))
	if err != nil {
		return false, err
	}
	return d.rowIsFull(ctx, session, ids, d.now(), d.maxRounds, 1)
}

// rowIsFull reports whether the last limit rounds came one after the other,
// without a pause, and have ended but for so many that are open. Questions that
// are open side by side are no rounds yet, and those that nobody saw none at all. A limit of 0 is none.
func (d *Desk) rowIsFull(ctx context.Context, session string, rounds []string, now time.Time, limit, mayBeOpen int) (bool, error) {
	if limit <= 0 || len(rounds) < limit {
		return false, nil
	}
	next, counted := now, 0
	for _, id := range slices.Backward(rounds[max(0, len(rounds)-10*limit):]) { // not all that nobody saw
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
		}
		if counted++; counted == limit {
			lifted, err := d.store.Marks(ctx, MarkLifted, sessionName(session))
			return len(lifted) == 0, err
		}
	}
	return false, nil
}

// seen reports whether the human can have seen a question that ended like this.
// What nobody saw is no round (D9).
func (o *Outcome) seen() bool { return o.Reply != nil || o.Status != Unavailable && !o.Unseen }

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
	id, _, err := d.nextID()
	if err != nil {
		return err
	}
	return d.store.Mark(ctx, MarkLifted, sessionName(session), id)
}

// Session returns the records of a session, oldest first, archived ones too.
func (d *Desk) Session(ctx context.Context, session string) ([]Record, error) {
	ids, err := d.store.Marks(ctx, MarkSessions, sessionName(session))
	if err != nil {
		return nil, err
	}
	var out []Record
	for _, id := range ids {
		rec, err := d.Get(ctx, id)
		switch {
		case d.leaveOut(ctx, id, err): // damaged, or never committed
		case err != nil:
			return nil, err
		default:
			out = append(out, rec)
		}
	}
	return out, nil
}

// sessionName makes a file name of a session's id, which comes from outside.
func sessionName(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:16])
}
