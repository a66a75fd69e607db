package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mcp-askuser/question"
)

// ErrNotAgain means that a record cannot be put before the human once more:
// nothing in it was asked, or its host asked it in a dialog of its own.
var ErrNotAgain = errors.New("this cannot be asked again")

// Reopens reports whether a record has ended and its asker may come back for another
// answer.
func (rec *Record) Reopens() bool {
	return rec.Outcome != nil && !rec.Asker.Mirrored() && len(rec.Set.Asked(nil)) > 0
}

// Reopen asks an ended question again, for the human: a new record with the same set and
// asker, whose Earlier is the ended one, or the last record that reopened it, and whose
// draft has the former answers. It has no waiting asker until the asker submits the same
// again or awaits either ticket, and counts as no round in a row.
//
// The error is ErrPending, with the open record, where the same question is open;
// ErrNotFound; one that wraps ErrNotAgain or ErrDamaged; or a failure of the store.
func (d *Desk) Reopen(ctx context.Context, id string) (Record, error) {
	ctx = context.WithoutCancel(ctx)
	rec, err := d.Latest(ctx, id)
	switch {
	case err != nil:
		return Record{}, err
	case rec.Outcome == nil:
		return rec, ErrPending
	case rec.Asker.Mirrored():
		return rec, fmt.Errorf("%w: the agent asked it in a dialog of its own, and does not come back for it", ErrNotAgain)
	case len(rec.Set.Asked(nil)) == 0:
		return rec, fmt.Errorf("%w: the agent brought every answer along", ErrNotAgain)
	}
	release, err := d.store.Lock(ctx, KindAskers, rec.ID+"-reopen")
	if errors.Is(err, ErrLocked) { // by another that reopens it
		return rec, ErrPending
	}
	if err != nil {
		return rec, fmt.Errorf("reopen %s: %w", rec.ID, err)
	}
	defer release()
	return d.reopen(ctx, rec)
}

func (d *Desk) reopen(ctx context.Context, rec Record) (Record, error) {
	r := Request{
		Set: rec.Set, Session: rec.SessionID, Asker: rec.Asker,
		Timeout: seconds(rec.Timeout), OnTimeout: rec.OnTimeout, Prove: rec.Prove, Rounds: rec.Rounds, earlier: rec.ID,
	}
	d.require(ctx, &r)
	if open, err := d.findOpen(ctx, &r); err != nil {
		return open, err
	}
	again, attendance, err := d.ask(ctx, r, 0)
	if err != nil {
		return rec, err
	}
	defer attendance.Release()
	again.Attended = false
	if former := (draft{Reply: d.formerReply(ctx, &rec)}); !former.empty() {
		if err := d.SaveDraft(ctx, again.ID, d.CopyFiles(ctx, rec.ID, again.ID, former.Reply)); err != nil {
			d.log.WarnContext(ctx, "a question is reopened without its former answers", "id", again.ID, "error", err)
		}
	}
	if err := d.Delivered(ctx, rec); err != nil { // an asker that asks the same is to find the new one
		d.log.WarnContext(ctx, "an answer may be delivered although it was reopened", "id", rec.ID, "error", err)
	}
	return again, nil
}

// findOpen returns the record that asks the same and is open, with ErrPending;
// or none.
func (d *Desk) findOpen(ctx context.Context, r *Request) (Record, error) {
	if rec, err := d.Latest(ctx, r.earlier); err != nil || rec.Outcome == nil { // reopened by another, meanwhile
		return rec, cmp.Or(err, ErrPending)
	}
	same, err := d.findDuplicates(ctx, r)
	if err != nil {
		return Record{}, err
	}
	for rec, err := range d.getEach(ctx, same...) {
		if err != nil {
			return Record{}, err
		}
		if rec.Outcome == nil {
			d.addPresence(ctx, &rec)
			return rec, ErrPending
		}
	}
	return Record{}, nil
}

// formerReply is what the human had answered to a record, or typed. What is sent of it now
// is the human's.
func (d *Desk) formerReply(ctx context.Context, rec *Record) question.Reply {
	var r question.Reply
	if former := rec.Reply(); former != nil {
		r.Answers = former.Answers
		if !former.Discuss { // whose note is the subject of the discussion
			r.Note = former.Note
		}
	} else if x, err := d.loadDraft(ctx, rec.ID); err == nil {
		r.Answers, r.Note = x.Reply.Answers, x.Reply.Note
	}
	r.Answers = slices.Clone(r.Answers)
	for i := range r.Answers {
		r.Answers[i].By = ""
	}
	return r
}

// Latest returns the record with this id or, where it has ended and was
// reopened, its replacement: the last that is open, or that the human has replied
// to. Errors are those of [Desk.Get].
func (d *Desk) Latest(ctx context.Context, id string) (Record, error) {
	rec, err := d.Get(ctx, id)
	if err != nil || rec.Outcome == nil {
		return rec, err
	}
	reopened, err := d.store.Marks(ctx, MarkReopened, id)
	if err != nil {
		return Record{}, err
	}
	for _, next := range slices.Backward(reopened) {
		if next <= id { // none of ours
			continue
		}
		again, err := d.Latest(ctx, next)
		switch {
		case d.leaveOut(ctx, next, err):
		case err != nil:
			return Record{}, err
		case again.Outcome == nil || again.Reply() != nil:
			return again, nil
		}
	}
	return rec, nil
}
