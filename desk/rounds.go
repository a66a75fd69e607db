package desk

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"mcp-askuser/desk/store"
)

// RoundLimitError means that a session has asked too many rounds in a row.
// The user can lift the limit; a pause lifts it too.
type RoundLimitError struct {
	Session string
	Limit   int
}

// refusal is part of the reason of a call that was refused for that.
const refusal = "recursive_limit_exceeded"

func (e *RoundLimitError) Error() string {
	const text = "go on without asking: the limit of rounds in a row is %d (" + refusal +
		"); a pause lifts it, or the user"
	return fmt.Sprintf(text, e.Limit)
}

// Refused reports whether a call ended like this because its session had asked
// too many rounds in a row: the user was not asked, and can lift the limit.
func (o *Outcome) Refused() bool {
	return o.Status == Unavailable && strings.Contains(o.Reason, refusal)
}

// Tried reports whether a call ended like this although its question was to be on a surface: the
// reason names each such surface, and why that could not show it.
func (o *Outcome) Tried(surface string) bool {
	return strings.Contains("; "+o.Reason, "; "+surface+": ")
}

// nearLimit is how many rounds may be left after one for it to be near the limit.
const nearLimit = 2

// run is what the rounds share that count as in a row with this one.
func (rec *Record) run() string { return cmp.Or(rec.Row, rec.SessionID) }

// number gives a new record its round: its place in its session. The error is a
// *RoundLimitError where it would be more than limit in a row; 0 is no limit.
func (d *Desk) number(ctx context.Context, rec *Record, limit int) error {
	rec.Round = 1
	if rec.SessionID == "" {
		return nil
	}
	last, err := d.lastRound(ctx, rec.SessionID)
	if err != nil {
		return fmt.Errorf("number the question: %w", err)
	}
	rec.Round = last.Round + 1
	if limit <= 0 {
		return nil
	}
	run, err := d.countRun(ctx, rec.run(), limit, 0)
	if err != nil {
		return fmt.Errorf("count the rounds: %w", err)
	}
	if run.lifted {
		return nil
	}
	if run.rounds >= limit {
		return &RoundLimitError{rec.SessionID, limit}
	}
	rec.NearLimit = run.rounds >= limit-1-nearLimit
	return nil
}

// AtLimit reports whether the session's next question would be refused, once
// the one that is open, if one is, has been answered.
func (d *Desk) AtLimit(ctx context.Context, session string) (bool, error) {
	if session == "" || d.maxRounds <= 0 {
		return false, nil
	}
	last, err := d.lastRound(ctx, session)
	if err != nil || last.Round == 0 {
		return false, err
	}
	run, err := d.countRun(ctx, last.run(), d.maxRounds, 1)
	return run.rounds >= d.maxRounds && !run.lifted, err
}

// lastRound returns the last round of a session; one without a number where there is none.
func (d *Desk) lastRound(ctx context.Context, session string) (Record, error) {
	for row, err := range d.newest(ctx, store.Query{Session: session}) {
		if err != nil {
			return Record{}, err
		}
		rec, err := decodeRow(row)
		if err == nil && rec.Round > 0 { // else damaged, or a call that was not asked
			return rec, nil
		}
	}
	return Record{}, nil
}

// run is how many rounds there are in a row.
type run struct {
	rounds int  // have followed each other without a pause
	lifted bool // the user has lifted the limit
}

// countRun reads the last records of a run. In a row are the rounds that followed each other
// without a pause. Open questions that their asker waits for are no rounds yet, but for waiting
// of them; those that the user cannot have seen, and those that the user has reopened, are none.
// A discussion ends the row. It reads no further than it must to know whether the row has as
// many rounds as the limit, and whether that is lifted.
func (d *Desk) countRun(ctx context.Context, shared string, limit, waiting int) (r run, err error) {
	next, ended := d.now(), false
	for of, err := range d.newest(ctx, store.Query{Run: shared}) {
		if err != nil {
			return r, err
		}
		note := of.Notes[store.Lifted]
		if string(note) == countEnds {
			ended = true
		} else {
			r.lifted = r.lifted || note != nil
		}
		rec, err := decodeRow(of)
		if err != nil || rec.Round == 0 { // damaged, or a call that was not asked
			continue
		}
		if !ended {
			waits := rec.Outcome == nil && of.Attended
			if waits {
				waiting--
			}
			ended = !r.add(&rec, next.Sub(rec.CreatedAt) > d.pause, waits && waiting < 0)
			next = rec.CreatedAt
		}
		if r.lifted || ended && r.rounds < limit {
			break
		}
	}
	return r, nil
}

// add counts the record before those that were counted, unless it is not yet a round. It is
// false where that ends the row.
func (r *run) add(rec *Record, paused, notYet bool) bool {
	if paused || rec.Outcome != nil && rec.Outcome.Status == Discuss {
		return false
	}
	if rec.Earlier == "" && !notYet && (rec.Outcome == nil || rec.Outcome.seen()) {
		r.rounds++
	}
	return true
}

// seen reports whether the user can have seen a question that ended like this.
func (o *Outcome) seen() bool { return o.Reply != nil || o.Status != Unavailable && !o.Unseen }

// Continues returns nil where an asker may continue the session that it names: a new one, or
// one that the same client and agent asked in for the same project. The error is otherwise
// ErrForeignSession, or a failure of the store. A session shares rounds and history, not
// answers: [Desk.Submit] finds those by content.
func (d *Desk) Continues(ctx context.Context, session string, by Asker) error {
	for row, err := range d.newest(ctx, store.Query{Session: session}) {
		if err != nil {
			return err
		}
		rec, err := decodeRow(row)
		if err != nil { // damaged
			continue
		}
		if rec.Asker.Client != by.Client || rec.Asker.Agent != by.Agent || rec.Asker.Directory != by.Directory {
			return ErrForeignSession
		}
		return nil
	}
	return nil
}

// countEnds is the value of the note Lifted beside the last round of a count. Any other value
// lifts the limit.
const countEnds = "count ends"

// BeginCount begins a new count of rounds in all sessions of a client for a project: its user
// has just told the agent what to do next.
func (d *Desk) BeginCount(ctx context.Context, client, directory string) error {
	recent, err := store.Collect(d.records(ctx, store.Query{Project: directory, Since: d.now().Add(-d.pause)}, d.prove))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, rec := range recent { // the last round of each count is the first here
		if rec.Asker.Client != client || rec.Round == 0 || seen[rec.run()] {
			continue
		}
		seen[rec.run()] = true
		err = d.store.Note(ctx, rec.ID, store.Lifted, func(old []byte) ([]byte, error) {
			if old != nil {
				return old, nil
			}
			return []byte(countEnds), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Lift lifts the round limit for a session, on the user's word. The error is
// ErrNoSession for one that has not asked.
func (d *Desk) Lift(ctx context.Context, session string) error {
	last, err := store.Collect(d.rows(ctx, store.Query{Session: session, Limit: 1}))
	if err != nil {
		return err
	}
	if len(last) == 0 || session == "" {
		return cmp.Or(d.Away(), fmt.Errorf("%w: %q", ErrNoSession, session))
	}
	return d.store.Note(ctx, last[0].ID, store.Lifted, func([]byte) ([]byte, error) {
		return []byte(d.time().Format(time.RFC3339)), nil
	})
}
