package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// ErrNotAgain means that a record cannot be put before the user once more:
// nothing in it was asked, or its host asked it in a dialog of its own.
var ErrNotAgain = errors.New("this cannot be asked again")

// Reopens reports whether a record has ended and its asker may come back for another
// answer.
func (rec *Record) Reopens() bool {
	return rec.Outcome != nil && !rec.Asker.Mirrored() && len(rec.Set.Asked(nil)) > 0
}

// Reopen asks an ended question again, for the user: a new record with the same set and
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
	r := Request{
		Set: rec.Set, Session: rec.SessionID, Asker: rec.Asker, Row: rec.Row,
		Timeout: seconds(rec.Timeout), OnTimeout: rec.OnTimeout, Prove: rec.Prove, Rounds: rec.Rounds, earlier: rec.ID,
	}
	open, err := d.sameOpen(ctx, &r)
	if err != nil {
		return open, err
	}
	_, before, err := d.get(ctx, rec.ID)
	if err != nil {
		return rec, err
	}
	again, attendance, err := d.ask(ctx, r, 0)
	if errors.Is(err, ErrPending) { // by another, meanwhile
		open, failed := d.Latest(ctx, rec.ID)
		return open, errors.Join(failed, err)
	}
	if err != nil {
		return rec, err
	}
	defer attendance.Release()
	again.Attended = false
	err = d.store.Delivered(ctx, rec.ID) // not before: what could not be asked again is still to be collected
	if err != nil {
		d.log.WarnContext(ctx, "an asker that asks the same finds the former answer first", "id", again.ID, "error",
			err)
	}
	d.prefill(ctx, &rec, before, again.ID)
	return again, nil
}

// prefill makes what the user had answered to a record, or typed, the draft of another that asks the
// same.
func (d *Desk) prefill(ctx context.Context, from *Record, row store.Row, to string) {
	former := draft{Reply: from.formerReply(row)}
	if former.empty() {
		return
	}
	err := d.SaveDraft(ctx, to, d.CopyFiles(ctx, from.ID, to, former.Reply))
	if err != nil {
		d.log.WarnContext(ctx, "a question is asked again without its former answers", "id", to, "error", err)
	}
}

// bringBack prefills a new record with what the user had typed where the same was asked last, and ended
// without them: withdrawn by its client, or because of the time. On a shared desk an agent writes no drafts.
func (d *Desk) bringBack(ctx context.Context, rec *Record) {
	if rec.Content == "" || rec.Home != "" || rec.Earlier != "" {
		return
	}
	last := store.Query{Ended: true, Content: rec.Content, Since: rec.CreatedAt.Add(-d.keepTime), Limit: 1}
	for row, err := range d.rows(ctx, last) {
		former, damaged := decodeRow(row)
		switch {
		case err != nil:
			d.log.InfoContext(ctx, "what was typed before is not known", "id", rec.ID, "error", err)
		case damaged == nil && former.Outcome.Reply == nil:
			d.prefill(ctx, &former, row, rec.ID)
		}
	}
}

// sameOpen returns the record that asks the same and is open, with ErrPending; or none.
func (d *Desk) sameOpen(ctx context.Context, r *Request) (Record, error) {
	again := d.newRecord(*r)
	if again.Content == "" {
		return Record{}, nil
	}
	for rec, err := range d.records(ctx, store.Query{Open: true, Content: again.Content}, d.prove) {
		if err == nil {
			err = ErrPending
		}
		return rec, err
	}
	return Record{}, nil
}

// formerReply is what the user had answered to a record, or typed. What is sent of it now
// is the user's. No yes is ever preset: of a confirmation only notes are left.
func (rec *Record) formerReply(row store.Row) question.Reply {
	typed := decodeDraft(row).Reply
	former := cmp.Or(rec.Reply(), &typed)
	r := question.Reply{Note: former.Note}
	if former.Discuss { // whose note is the subject of the discussion
		r.Note = ""
	}
	for _, a := range former.Answers {
		a.By = ""
		if !rec.Set.Confirms() {
			r.Answers = append(r.Answers, a)
		} else if a.Note != "" {
			r.Answers = append(r.Answers, question.Answer{QuestionID: a.QuestionID, Note: a.Note})
		}
	}
	return r
}

// Latest returns the record with this id or, where it has ended and was
// reopened, its replacement: the last that is open, or that the user has replied
// to. Errors are those of [Desk.Get].
func (d *Desk) Latest(ctx context.Context, id string) (Record, error) {
	rec, err := d.Get(ctx, id)
	if err != nil || rec.Outcome == nil {
		return rec, err
	}
	for row, err := range d.store.Rows(ctx, store.Query{Earlier: id}) {
		if err != nil {
			return Record{}, err
		}
		if row.ID <= id { // none of ours
			continue
		}
		again, err := d.Latest(ctx, row.ID)
		switch {
		case d.leaveOut(ctx, row.ID, err):
		case err != nil:
			return Record{}, err
		case again.Outcome == nil || again.Reply() != nil:
			return again, nil
		}
	}
	return rec, nil
}
