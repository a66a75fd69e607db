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
	before, err := d.inARow(ctx, rec.run())
	if err != nil {
		return fmt.Errorf("count the rounds: %w", err)
	}
	if before >= limit {
		return &RoundLimitError{rec.SessionID, limit}
	}
	rec.NearLimit, rec.LastRound = before >= limit-1-nearLimit, before == limit-1
	return nil
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

// inARow counts the last rounds of a run that followed each other without a pause, a discussion or a
// word of the user's. Open questions that their asker waits for are no rounds yet; those that the user
// cannot have seen, and those that the user has reopened, are none.
func (d *Desk) inARow(ctx context.Context, run string) (n int, err error) {
	next := d.now()
	for row, err := range d.newest(ctx, store.Query{Run: run}) {
		if err != nil || row.Notes[store.Lifted] != nil {
			return n, err
		}
		rec, err := decodeRow(row)
		if err != nil || rec.Round == 0 { // damaged, or a call that was not asked
			continue
		}
		discussed := rec.Outcome != nil && rec.Outcome.Status == Discuss
		if discussed || next.Sub(rec.CreatedAt) > d.pause {
			break
		}
		next = rec.CreatedAt
		if rec.Earlier == "" && !rec.Attended && (rec.Outcome == nil || rec.Outcome.seen()) {
			n++
		}
	}
	return n, nil
}

// seen reports whether the user can have seen a question that ended like this.
func (o *Outcome) seen() bool { return o.Reply != nil || o.Status != Unavailable && !o.Unseen }

// Continues returns nil where an asker may continue the session that it names: a new one, or
// one that the same client and agent asked in for the same project. The error is otherwise
// ErrForeignSession, or a failure of the store. A session shares rounds and history, not
// answers: [Desk.Submit] finds those by content.
func (d *Desk) Continues(ctx context.Context, session string, by Asker) error {
	last, err := d.lastRound(ctx, session)
	of := last.Asker
	if last.Round > 0 && (of.Client != by.Client || of.Agent != by.Agent || of.Directory != by.Directory) {
		err = ErrForeignSession
	}
	return err
}

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
		err = d.beginCount(ctx, rec.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// Lift begins a new count of rounds in a session, on the user's word. The error is
// ErrNoSession for one that has not asked.
func (d *Desk) Lift(ctx context.Context, session string) error {
	last, err := store.Collect(d.rows(ctx, store.Query{Session: session, Limit: 1}))
	if err != nil {
		return err
	}
	if len(last) == 0 || session == "" {
		return cmp.Or(d.Away(), fmt.Errorf("%w: %q", ErrNoSession, session))
	}
	return d.beginCount(ctx, last[0].ID)
}

// beginCount has the count of rounds begin anew after a row.
func (d *Desk) beginCount(ctx context.Context, id string) error {
	return d.store.Note(ctx, id, store.Lifted, func([]byte) ([]byte, error) {
		return []byte(d.time().Format(time.RFC3339)), nil
	})
}
