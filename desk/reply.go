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

// Reply ends a pending record with a reply from a surface, by the answerer that the
// evidence shows. A nil error means that the reply is on disk. Else it is ErrNotFound,
// ErrUserRequired, a question.Violations for the answerer to mend, a *ClosedError with the
// first outcome (which the returned record has), ErrUnsent, or a failure of the store: try
// again.
//
// A set that is put back to be discussed takes along the answers submitted so far.
//
// The end of ctx does not stop it: a user's answer is kept even when the asker has gone.
func (d *Desk) Reply(ctx context.Context, id string, r question.Reply, from Evidence) (Record, error) {
	ctx = context.WithoutCancel(ctx)
	rec, o, err := d.outcome(ctx, id, r, from)
	if err == nil {
		rec, err = d.decide(ctx, rec, o)
	}
	if !errors.Is(err, ErrUnreachable) {
		return rec, err
	}
	kept := d.SaveDraft(ctx, id, r)
	first, closed := errors.AsType[*ClosedError](kept)
	switch {
	case closed && first.Outcome.ID == o.ID: // it was stored, and the acknowledgement was lost
		return rec.endedBy(&first.Outcome), nil
	case closed:
		rec, _, err = d.stillOpen(ctx, id)
		return rec, err
	case kept != nil:
		return rec, fmt.Errorf("not sent, and not kept as a draft: %w", errors.Join(err, kept))
	}
	return rec, fmt.Errorf("%w: %w", ErrUnsent, err)
}

// outcome returns an open record, and the outcome that a reply is to it.
func (d *Desk) outcome(
	ctx context.Context, id string, r question.Reply, from Evidence,
) (rec Record, o Outcome, err error) {
	rec, row, err := d.stillOpen(ctx, id)
	if err != nil {
		return rec, o, err
	}
	by := d.Answerer(from, rec.Asker)
	attribute(&r, by)
	needsProof := d.RequiresProof(&rec)
	if r.Discuss && needsProof { // a discussion is not signed
		r.Answers = nil
	}
	if r.Discuss && !needsProof {
		draft := decodeDraft(row)
		r = rec.withGiven(r, draft.Reply.Given(), by)
	}
	checked, err := rec.Check(r)
	if err == nil {
		err = d.checkFiles(ctx, id, &checked)
	}
	if err != nil {
		return rec, o, err
	}
	o = Outcome{
		Status: StatusOf(checked), Reply: &checked, Surface: from.Surface, Took: r.Took.Milliseconds(), Answerer: by,
		Provisional: rec.Asker.Mirrored(), Proof: r.Proof,
	}
	if o.Proof != nil && rec.provable() {
		o.At = o.Proof.At
	}
	d.stamp(&o)
	err = d.sign(&rec, &o)
	if err == nil {
		err = d.admit(ctx, &rec, &o, nil, needsProof)
	}
	if err == nil && needsProof && o.Status == Answered && from.How != HowPage {
		err = ErrProofRequired
	}
	if err == nil && needsProof && o.Proof != nil && d.now().Sub(o.At).Abs() > maxProofAge {
		err = fmt.Errorf("%w: it was signed at %s, more than ten minutes from now", ErrProofRequired,
			o.At.Format(time.RFC3339))
	}
	return rec, o, err
}

// withGiven returns a reply that discusses the set, with the answers that programs and front ends gave to
// its other questions. A program's answer never becomes the user's, and is left out where the record
// requires the user; a front end's is the user's only in a reply of the user's.
func (rec *Record) withGiven(r question.Reply, given []question.Answer, by *Answerer) question.Reply {
	out := r
	out.Answers = slices.Clone(r.Answers)
	for _, a := range given {
		byUser := a.By == question.ByFrontEnd && by.Kind == UserAnswerer
		a.By = question.ByProgram
		if byUser {
			a.By = question.ByUser
		}
		if r.Answer(a.QuestionID) == nil && (byUser || !rec.RequiresUser()) {
			out.Answers = append(out.Answers, a)
		}
	}
	_, err := rec.Check(out)
	if err != nil { // one of them is to a question that is no longer asked
		return r
	}
	return out
}

// MayAnswer returns an error that wraps ErrUserRequired where the evidence is not enough for
// an answer to a record, ErrProofRequired where no answer can be signed, and ErrDenied where
// the credential of this process is not enough. Evidence without a way is not known yet, and
// always enough.
func (d *Desk) MayAnswer(_ context.Context, rec Record, from Evidence) error {
	if from.How != "" && rec.RequiresUser() && d.Answerer(from, rec.Asker).Kind != UserAnswerer {
		return ErrUserRequired
	}
	if from.How != "" && d.RequiresProof(&rec) && from.How != HowPage {
		return ErrProofRequired
	}
	if rec.Home == "" {
		return nil
	}
	_, _, err := d.signWith(nil)
	return err
}

// StatusOf is how a reply ends a record.
func StatusOf(r question.Reply) Status {
	switch {
	case r.Dismissed:
		return Dismissed
	case r.Discuss:
		return Discuss
	}
	return Answered
}

// Close ends a pending record without the user: o.Status is Cancelled, Timeout, Unavailable
// or Failed, and o.Reply nil; a zero o.At becomes now, and a long reason is shortened. Errors
// are those of [Desk.Reply]. The end of ctx does not stop it: a record is withdrawn when a request ends.
func (d *Desk) Close(ctx context.Context, id string, o Outcome) (Record, error) {
	ctx = context.WithoutCancel(ctx)
	if o.Reply != nil {
		return Record{}, fmt.Errorf("close %s as %q: only Reply takes replies", id, o.Status)
	}
	err := o.check()
	if err != nil {
		return Record{}, fmt.Errorf("close %s: %w", id, err)
	}
	rec, _, err := d.stillOpen(ctx, id)
	if err != nil {
		return rec, err
	}
	o.Reason = question.Shorten(o.Reason, question.MaxText)
	o.Unseen = !d.reachedUser(ctx, &rec)
	d.stamp(&o)
	return d.decide(ctx, rec, o)
}

// stillOpen returns the record and its row if it is pending, else them and a *ClosedError.
func (d *Desk) stillOpen(ctx context.Context, id string) (Record, store.Row, error) {
	rec, row, err := d.get(ctx, id)
	if err == nil && rec.Outcome != nil {
		err = &ClosedError{ID: id, Outcome: *rec.Outcome}
	}
	return rec, row, err
}

// decide ends a record with an outcome: the store says whether it is the first.
func (d *Desk) decide(ctx context.Context, rec Record, o Outcome) (Record, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return rec, fmt.Errorf("encode the reply: %w", err)
	}
	ended := rec.endedBy(&o)
	err = d.store.Answer(ctx, rec.ID, store.Ending{Outcome: data, Text: ended.text()})
	if errors.Is(err, store.ErrAnswered) {
		first, _, err := d.stillOpen(ctx, rec.ID)
		return first, err
	}
	if err != nil {
		return rec, fmt.Errorf("store the reply: %w", err)
	}
	return ended, nil
}

// endedBy returns an open record as it is with an outcome.
func (rec *Record) endedBy(o *Outcome) Record {
	ended := *rec
	ended.State, ended.Outcome, ended.Attended, ended.ShownOn = o.Status, o, false, nil
	return ended
}

// stamp gives an outcome its id and time.
func (d *Desk) stamp(o *Outcome) {
	now := d.time()
	o.ID = d.ids.next(now, "")
	if o.At.IsZero() {
		o.At = now
	}
}

// reachedUser reports whether a surface shows the record, or an inbox or a page that
// lists it is open.
func (d *Desk) reachedUser(ctx context.Context, rec *Record) bool {
	shown := func(s Showing) bool { return s.Why == "" && s.Surface != surfaceInbox }
	if slices.ContainsFunc(rec.ShownOn, shown) {
		return true
	}
	open, _ := d.Present(ctx, rec.ID) // those that it names are open
	return len(open) > 0
}

// surfaceInbox is the surface that only leaves a record to inboxes and pages.
const surfaceInbox = "inbox"

// Settle ends a mirrored record with what the host reports of its dialog: answered or
// dismissed by the user, or closed. The host decides: a reply given here that says the
// same has reached it; another is kept as the later one, and watchers get an event. A
// record that was settled before is returned unchanged. Errors are those of [Desk.Get], or
// failures of the store.
func (d *Desk) Settle(ctx context.Context, id string, o Outcome) (Record, error) {
	ctx = context.WithoutCancel(ctx)
	err := o.check()
	if err != nil {
		return Record{}, fmt.Errorf("settle %s: %w", id, err)
	}
	rec, err := d.Get(ctx, id)
	if err != nil {
		return rec, err
	}
	if !rec.Asker.Mirrored() {
		return rec, fmt.Errorf("settle %s: no host has a dialog for it", id)
	}
	if o.Reply != nil {
		o.Answerer = d.Answerer(Evidence{Surface: o.Surface, How: HowHostDialog}, rec.Asker)
	}
	d.stamp(&o)
	if rec.Outcome == nil {
		rec, err = d.decide(ctx, rec, o) // the host's word
		closed := (*ClosedError)(nil)
		if err != nil && !errors.As(err, &closed) {
			return rec, err
		}
	}
	if rec.Outcome.Provisional {
		data, err := json.Marshal(o)
		if err != nil {
			return rec, fmt.Errorf("encode what the host reports: %w", err)
		}
		err = d.store.Note(ctx, id, store.Later, func(old []byte) ([]byte, error) {
			if old == nil { // else its first word stays
				old = data
			}
			return old, nil
		})
		if err != nil {
			return rec, err
		}
	}
	err = d.Delivered(ctx, id)
	if err != nil {
		return rec, err
	}
	return d.Get(ctx, id)
}

// settle applies what the host reports of its dialog: its outcome counts where it says another
// than that of the record.
func (rec *Record) settle(host *Outcome) {
	rec.Outcome.Provisional = false
	if rec.Outcome.Status != host.Status || !rec.SameReply(rec.Outcome.Reply, host.Reply) {
		rec.Outcome, rec.Later = host, rec.Outcome
	}
}

// SameReply reports whether two replies to a record say the same to its asker,
// word by word, whatever the notes are.
func (rec *Record) SameReply(a, b *question.Reply) bool {
	if a == nil || b == nil {
		return a == b
	}
	same := func(x, y question.Response) bool { return slices.Equal(x.Words(), y.Words()) }
	return a.Dismissed == b.Dismissed && slices.EqualFunc(rec.Set.Responses(a), rec.Set.Responses(b), same)
}
