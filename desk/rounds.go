package desk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
)

// RoundLimitError means that a session has asked too many rounds in a row (D9).
// The user can lift the limit; a pause lifts it too.
type RoundLimitError struct {
	Session string
	Limit   int
}

func (e *RoundLimitError) Error() string {
	return fmt.Sprintf("recursive_limit_exceeded: %d rounds in a row", e.Limit)
}

// countRound puts the record into its session and numbers it there. Two that
// ask at once may get the same number; their ids still tell their order.
func (d *Desk) countRound(ctx context.Context, rec *Record) error {
	if rec.SessionID == "" {
		return nil
	}
	name := sessionName(rec.SessionID)
	if err := d.store.Mark(ctx, MarkSessions, name, rec.ID); err != nil {
		return err
	}
	ids, err := d.store.Marks(ctx, MarkSessions, name)
	if err != nil {
		return err
	}
	rec.Round = max(1, len(ids))
	return nil
}

// checkRounds returns a *RoundLimitError where a further round of the session
// would be one too many.
func (d *Desk) checkRounds(ctx context.Context, session string) error {
	atLimit, err := d.AtLimit(ctx, session)
	if err != nil {
		return err
	}
	if atLimit {
		return &RoundLimitError{session, d.maxRounds}
	}
	return nil
}

// AtLimit reports whether the next question of a session would be refused: the
// last MaxRounds of them have all come to an end, one after the other and
// without a pause. Questions that are open side by side are no rounds yet.
func (d *Desk) AtLimit(ctx context.Context, session string) (bool, error) {
	if session == "" || d.maxRounds <= 0 {
		return false, nil
	}
	name := sessionName(session)
	ids, err := d.store.Marks(ctx, MarkSessions, name)
	if err != nil || len(ids) < d.maxRounds {
		return false, err
	}
	next := d.now()
	last := ids[len(ids)-d.maxRounds:]
	for _, id := range slices.Backward(last) {
		at := ulid.MustParseStrict(id).Timestamp()
		if next.Sub(at) > d.pause {
			return false, nil
		}
		next = at
		rec, err := d.get(ctx, id)
		if err != nil || rec.Outcome == nil {
			return false, ignoreMissing(err)
		}
	}
	lifted, err := d.store.Marks(ctx, MarkLifted, name)
	return len(lifted) == 0, err
}

// ignoreMissing drops the error of a record that is not there, or not to be
// read: it was no round.
func ignoreMissing(err error) error {
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) {
		return nil
	}
	return err
}

// Lift lifts the round limit for a session, on the user's word.
func (d *Desk) Lift(ctx context.Context, session string) error {
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
		case errors.Is(err, ErrNotFound): // never committed
		case errors.Is(err, ErrDamaged):
			d.log.WarnContext(ctx, "leaving out a damaged record", "id", id, "error", err)
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

// seconds is a number of seconds as a duration.
func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
