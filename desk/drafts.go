package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-askuser/question"
)

// draft is a document of the drafts collection.
type draft struct {
	At    time.Time      `json:"at"`
	Reply question.Reply `json:"reply"`
}

// SaveDraft keeps what a human is typing, whole or not, for a later form. It leaves the
// answers of [Desk.KeepAnswers] in place, and restarts the clock of a timeout. Errors are
// those of [Desk.Reply] but for what is missing in r.
func (d *Desk) SaveDraft(ctx context.Context, id string, r question.Reply) error {
	x, err := d.draftToChange(ctx, id)
	if err != nil {
		return err
	}
	r.Answers = slices.Clone(r.Answers)
	for _, a := range x.Reply.Given() {
		r.Put(a.QuestionID, func(x *question.Answer) { *x = a })
	}
	return d.putDraft(ctx, id, r)
}

// KeepAnswers keeps answers to some questions of a set, given by a program or a
// front end, until the others have one too or the set is put back to be
// discussed. Errors are those of [Desk.SaveDraft].
func (d *Desk) KeepAnswers(ctx context.Context, id string, answers []question.Answer, by question.By) error {
	x, err := d.draftToChange(ctx, id)
	if err != nil {
		return err
	}
	for _, a := range answers {
		a.By = by
		x.Reply.Put(a.QuestionID, func(x *question.Answer) { *x = a })
	}
	return d.putDraft(ctx, id, x.Reply)
}

// draftToChange returns the draft of a record; an empty one where there is none, or
// none that can be read.
func (d *Desk) draftToChange(ctx context.Context, id string) (draft, error) {
	x, err := d.loadDraft(ctx, id)
	switch {
	case errors.Is(err, ErrDamaged):
		d.log.WarnContext(ctx, "replacing a draft", "id", id, "error", err)
		err = nil
	case errors.Is(err, ErrNotFound):
		err = nil
	}
	return x, err
}

func (d *Desk) putDraft(ctx context.Context, id string, r question.Reply) error {
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

// Draft returns what was typed for a record, and when; where an answer is queued,
// that, and where one was not taken, that until there is a draft. ErrNotFound means
// that there is nothing.
func (d *Desk) Draft(ctx context.Context, id string) (question.Reply, time.Time, error) {
	r, at, _, err := d.draftOrReply(ctx, id)
	return r, at, err
}

// answersSoFar returns the answers submitted to an open record: those kept in its draft, or
// of a reply that waits to be sent. What a human is typing is not submitted.
func (d *Desk) answersSoFar(ctx context.Context, id string) []question.Answer {
	r, _, submitted, err := d.draftOrReply(ctx, id)
	if submitted {
		return r.Answers
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		d.log.WarnContext(ctx, "the answers given so far cannot be read", "id", id, "error", err)
	}
	return r.Given()
}

// draftOrReply is Draft. It also reports whether the result is a reply that was submitted
// on this machine and is not stored with the record.
func (d *Desk) draftOrReply(ctx context.Context, id string) (r question.Reply, at time.Time, submitted bool, err error) {
	var kept Outcome
	queued := false
	if d.keeper != nil {
		var data []byte
		if data, queued = d.keeper.LocalOutcome(id); data != nil {
			kept, _ = decodeOutcome(data)
		}
	}
	if queued && kept.Reply != nil {
		return *kept.Reply, kept.At, true, nil
	}
	x, err := d.loadDraft(ctx, id)
	if err == nil && x.empty() {
		err = ErrNotFound // cleared again, or only the clock was restarted
	}
	if err != nil && kept.Reply != nil {
		return *kept.Reply, kept.At, true, nil
	}
	return x.Reply, x.At, false, err
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
		return draft{}, d.damaged(KindDrafts, id, err)
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
	x, err := d.draftToChange(ctx, id)
	if err == nil {
		err = d.putDraft(ctx, id, x.Reply)
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

// SetShown keeps where a record was tried and is shown, while it is open.
// Errors are those of [Desk.SaveDraft].
func (d *Desk) SetShown(ctx context.Context, id string, shown []Showing) error {
	return d.putBeside(ctx, KindShowing, id, shown)
}
