package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcp-askuser/question"
)

// draft is a document of the drafts collection.
type draft struct {
	At    time.Time      `json:"at"`
	Reply question.Reply `json:"reply"`
}

// SaveDraft keeps what a human is typing, whole or not, so that it survives
// the program and can be offered again. It restarts the clock of a timeout.
// Errors are those of [Desk.Reply] but for what is missing in r.
func (d *Desk) SaveDraft(ctx context.Context, id string, r question.Reply) error {
	return d.putBeside(ctx, KindDrafts, id, draft{d.time(), r})
}

// putBeside keeps v beside a record while it is open. It looks at the record
// afterwards: one that ends in between would leave it behind for ever.
func (d *Desk) putBeside(ctx context.Context, kind Kind, id string, v any) error {
	if !ValidID(id) {
		return ErrNotFound
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode what belongs to %s: %w", id, err)
	}
	if err := d.store.Put(ctx, kind, id, data); err != nil {
		return err
	}
	_, err = d.stillOpen(ctx, id)
	if _, closed := errors.AsType[*ClosedError](err); closed || errors.Is(err, ErrNotFound) {
		return errors.Join(err, d.store.Delete(ctx, kind, id))
	}
	return err
}

// Draft returns what was typed for a record, and when; where an answer waits to be
// sent, that. ErrNotFound means that there is nothing.
func (d *Desk) Draft(ctx context.Context, id string) (question.Reply, time.Time, error) {
	if of, ok := d.store.(Keeper); ok {
		if o, err := decodeOutcome(id, of.Given(id)); err == nil && o.Reply != nil {
			return *o.Reply, o.At, nil
		}
	}
	x, err := d.loadDraft(ctx, id)
	if err == nil && x.empty() {
		err = ErrNotFound // cleared again, or only the clock was restarted
	}
	if err != nil {
		return question.Reply{}, time.Time{}, err
	}
	return x.Reply, x.At, nil
}

func (d *Desk) loadDraft(ctx context.Context, id string) (x draft, err error) {
	if !ValidID(id) {
		return x, ErrNotFound
	}
	data, err := d.store.Get(ctx, KindDrafts, id)
	if err != nil {
		return x, err
	}
	if err := decode(data, &x); err != nil {
		return draft{}, fmt.Errorf("%w: draft of %s: %w", ErrDamaged, id, err)
	}
	return x, nil
}

func (x *draft) empty() bool {
	return !x.Reply.Dismissed && x.Reply.Reason == "" && x.Reply.Note == "" && len(x.Reply.Answers) == 0
}

// Deadline returns when a record's timeout strikes: Timeout after it was asked
// or last worked on. It is false for one without.
func (d *Desk) Deadline(ctx context.Context, rec Record) (time.Time, bool) {
	if rec.Timeout <= 0 {
		return time.Time{}, false
	}
	from := rec.CreatedAt
	if x, err := d.loadDraft(ctx, rec.ID); err == nil && x.At.After(from) {
		from = x.At
	}
	return from.Add(seconds(rec.Timeout)), true
}

// restartClock counts the timeout of a record from now on.
func (d *Desk) restartClock(ctx context.Context, id string) {
	x, err := d.loadDraft(ctx, id)
	if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) {
		err = d.SaveDraft(ctx, id, x.Reply)
	}
	if err != nil && !errors.Is(err, ErrDenied) { // an agent's credential writes no drafts
		d.log.WarnContext(ctx, "restarting a clock", "id", id, "error", err)
	}
}

// longest is the longest timeout, in seconds: a hundred years are for ever, and
// fit a time.Duration.
const longest = 100 * 365 * 24 * 60 * 60

// seconds is a number of seconds as a duration.
func seconds(n float64) time.Duration { return time.Duration(min(n, longest) * float64(time.Second)) }
