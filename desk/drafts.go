package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// draft is the value of [store.Draft].
type draft struct {
	At    time.Time      `json:"at"`
	Reply question.Reply `json:"reply"`
}

// decodeDraft returns the draft of a row; an empty one where there is none, or none that
// can be read.
func decodeDraft(row store.Row) (x draft) {
	if json.Unmarshal(row.Notes[store.Draft], &x) != nil {
		return draft{}
	}
	return x
}

func (x *draft) empty() bool {
	return !x.Reply.Dismissed && x.Reply.Reason == "" && x.Reply.Note == "" && len(x.Reply.Answers) == 0
}

// SaveDraft keeps what a user is typing, whole or not, for a later form. It leaves the
// answers of [Desk.KeepAnswers] in place, and restarts the clock of a timeout. Errors are
// those of [Desk.Reply] but for what is missing in r.
func (d *Desk) SaveDraft(ctx context.Context, id string, r question.Reply) error {
	return d.changeDraft(ctx, id, func(before *question.Reply) {
		given := before.Given()
		*before = r
		before.Answers = slices.Clone(r.Answers)
		for _, a := range given {
			before.Put(a.QuestionID, func(x *question.Answer) { *x = a })
		}
	})
}

// KeepAnswers keeps answers to some questions of a set, given by a program, a front end
// or the user, until the others have one too or the set is put back to be
// discussed. Errors are those of [Desk.SaveDraft].
func (d *Desk) KeepAnswers(ctx context.Context, id string, answers []question.Answer, by question.By) error {
	return d.changeDraft(ctx, id, func(before *question.Reply) {
		for _, a := range answers {
			a.By = by
			before.Put(a.QuestionID, func(x *question.Answer) { *x = a })
		}
	})
}

// restartClock counts the timeout of a record from now on.
func (d *Desk) restartClock(ctx context.Context, id string) {
	err := d.changeDraft(ctx, id, func(*question.Reply) {})
	if err != nil && !errors.Is(err, ErrDenied) && !errors.As(err, new(*ClosedError)) { // an agent writes no drafts
		d.log.WarnContext(ctx, "restarting a clock", "id", id, "error", err)
	}
}

func (d *Desk) changeDraft(ctx context.Context, id string, change func(*question.Reply)) error {
	return d.note(ctx, id, store.Draft, func(old []byte) (any, error) {
		var x draft
		if old != nil && json.Unmarshal(old, &x) != nil {
			d.log.WarnContext(ctx, "replacing a draft that cannot be read", "id", id)
			x = draft{}
		}
		change(&x.Reply)
		x.At = d.time()
		return x, nil
	})
}

// note changes a value beside an open record.
func (d *Desk) note(ctx context.Context, id string, note store.Note, change func(old []byte) (any, error)) error {
	if !ValidID(id) {
		return ErrNotFound
	}
	err := d.store.Note(ctx, id, note, func(old []byte) ([]byte, error) {
		v, err := change(old)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(v)
		if err != nil {
			err = fmt.Errorf("encode what belongs to %s: %w", id, err)
		}
		return data, err
	})
	if errors.Is(err, store.ErrAnswered) {
		_, _, err = d.stillOpen(ctx, id)
	}
	return err
}

// Draft returns what was typed for a record, and when. ErrNotFound means that there is
// nothing.
func (d *Desk) Draft(ctx context.Context, id string) (question.Reply, time.Time, error) {
	if !ValidID(id) {
		return question.Reply{}, time.Time{}, ErrNotFound
	}
	row, err := d.store.Get(ctx, id)
	if err != nil {
		return question.Reply{}, time.Time{}, err
	}
	x := decodeDraft(row)
	if row.Delivered || x.empty() { // cleared again, or only the clock was restarted
		return question.Reply{}, time.Time{}, ErrNotFound
	}
	return x.Reply, x.At, nil
}

// Deadline returns when a record's timeout strikes: Timeout after it was asked
// or last worked on. It is zero for one without, and for one that has ended.
func (rec *Record) Deadline() time.Time {
	if rec.Timeout <= 0 || rec.Outcome != nil {
		return time.Time{}
	}
	return rec.used().Add(seconds(rec.Timeout))
}

// longest is the longest timeout, in seconds: a hundred years are for ever, and
// fit a time.Duration.
const longest = 100 * 365 * 24 * 60 * 60

// seconds is a number of seconds as a duration.
func seconds(n float64) time.Duration { return time.Duration(min(n, longest) * float64(time.Second)) }

// SetShown keeps where a record was tried and is shown, while it is open.
// Errors are those of [Desk.SaveDraft].
func (d *Desk) SetShown(ctx context.Context, id string, shown []Showing) error {
	return d.note(ctx, id, store.Shown, func([]byte) (any, error) { return shown, nil })
}
