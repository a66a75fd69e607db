package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/question"
)

// Reply ends a pending record with a reply from a surface, by the answerer that the
// evidence shows. A nil error means that the reply is on disk. Else it is ErrNotFound,
// ErrUserRequired, a question.Violations for the answerer to mend, a *ClosedError with the
// first outcome (which the returned record has), or a failure of the store: try again.
//
// A set that is put back to be discussed takes along the answers submitted so far.
//
// The end of ctx does not stop it: a human's answer is kept even when the asker has gone.
func (d *Desk) Reply(ctx context.Context, id string, r question.Reply, from Evidence) (Record, error) {
	ctx = context.WithoutCancel(ctx)
	rec, err := d.stillOpen(ctx, id)
	if err != nil {
		return rec, err
	}
	by := d.Answerer(from, rec.Asker)
	attribute(&r, by)
	needsProof := d.RequiresProof(&rec)
	switch {
	case r.Discuss && needsProof: // a discussion is not signed
		r.Answers = nil
	case r.Discuss:
		rec.addEarlier(&r, d.answersSoFar(ctx, id), by)
	}
	checked, err := rec.Check(r)
	if err == nil {
		err = d.checkFiles(ctx, id, &checked)
	}
	if err != nil {
		return rec, err
	}
	o := Outcome{Status: StatusOf(checked), Reply: &checked, Surface: from.Surface, Took: r.Took.Milliseconds(), Answerer: by, Unsettled: rec.Asker.Mirrored()}
	o.Proof = r.Proof
	if o.Proof != nil && rec.provable() {
		o.At = o.Proof.At
	}
	if _, err := d.admit(ctx, &rec, &o, nil, d.RequiresPasskey(&rec)); err != nil {
		return rec, err
	}
	if needsProof && o.Status == Answered && from.How != HowPage {
		return rec, ErrProofRequired
	}
	if needsProof && o.Proof.Public() != nil && d.now().Sub(o.At).Abs() > maxProofAge {
		return rec, fmt.Errorf("%w: it was signed at %s, more than ten minutes from now", ErrProofRequired, o.At.Format(time.RFC3339))
	}
	return d.decide(ctx, rec, o, o.role())
}

// addEarlier adds earlier answers to a reply that discusses the set, but for questions that
// it answers itself or no longer asks. A program's answer never becomes the user's, and is
// left out where the record requires the user; a front end's is the user's only in a reply
// of the user's.
func (rec *Record) addEarlier(r *question.Reply, before []question.Answer, by *Answerer) {
	out := *r
	out.Answers = slices.Clone(r.Answers)
	for _, a := range before {
		if a.By != question.ByUser && a.By != question.ByFrontEnd || by.Kind != UserAnswerer {
			a.By = question.ByProgram
		} else {
			a.By = question.ByUser
		}
		if r.Answer(a.QuestionID) == nil && (a.By == question.ByUser || !rec.RequiresUser()) {
			out.Put(a.QuestionID, func(x *question.Answer) { *x = a })
		}
	}
	shown := rec.Set.Asked(&out)
	out.Answers = slices.DeleteFunc(out.Answers, func(a question.Answer) bool {
		return r.Answer(a.QuestionID) == nil && !slices.ContainsFunc(shown, func(x question.Response) bool { return x.ID == a.QuestionID })
	})
	*r = out
}

// MayAnswer returns an error that wraps ErrUserRequired where the evidence is not enough for
// an answer to a record, ErrProofRequired where no answer can be signed, and ErrDenied where
// the credential of this process is not enough. Evidence without a way is not known yet, and
// always enough.
func (d *Desk) MayAnswer(ctx context.Context, rec Record, from Evidence) error {
	proves := d.RequiresProof(&rec)
	switch {
	case from.How == "":
	case rec.RequiresUser() && d.Answerer(from, rec.Asker).Kind != UserAnswerer:
		return ErrUserRequired
	case proves && from.How != HowPage:
		return ErrProofRequired
	}
	if d.shared == nil {
		return nil
	}
	return d.shared.MayAnswer(ctx, rec.ID)
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

// Close ends a pending record without a human: o.Status is Cancelled, Timeout, Unavailable
// or Failed, and o.Reply nil; a zero o.At becomes now. Errors are those of [Desk.Reply].
// The end of ctx does not stop it: a record is withdrawn when a request ends.
func (d *Desk) Close(ctx context.Context, id string, o Outcome) (Record, error) {
	ctx = context.WithoutCancel(ctx)
	if o.Reply != nil {
		return Record{}, fmt.Errorf("close %s as %q: only Reply takes replies", id, o.Status)
	}
	if err := o.check(); err != nil {
		return Record{}, fmt.Errorf("close %s: %w", id, err)
	}
	rec, err := d.stillOpen(ctx, id)
	if err != nil {
		return rec, err
	}
	o.Unseen = !d.reachedHuman(ctx, id)
	return d.decide(ctx, rec, o, o.role())
}

// stillOpen returns the record if it is pending, else it and a *ClosedError.
func (d *Desk) stillOpen(ctx context.Context, id string) (Record, error) {
	rec, err := d.get(ctx, id)
	if err == nil && rec.Outcome != nil {
		err = &ClosedError{ID: id, Outcome: *rec.Outcome}
	}
	return rec, err
}

// decide ends rec with o unless it has ended already. The exclusive create is the decision,
// with one exception: a late answerer finds the place free when the decision has been
// archived and its reply removed. The archive entry exists before the reply is removed, so
// that answerer sees the entry. With its own outcome in it, it was first; with another's, or
// where the record was pruned since, it removes its document.
func (d *Desk) decide(ctx context.Context, rec Record, o Outcome, as Role) (Record, error) {
	if o.Reply != nil {
		o.Asked = rec.Statement()
	}
	d.stamp(&o)
	if as == RoleHuman || o.Reply == nil { // a human may end what an agent asked
		switch err := d.sign(ctx, &rec, &o); {
		case as != RoleHuman && errors.Is(err, ErrDenied):
			o.Credential = nil
		case err != nil:
			return rec, err
		}
	}
	data, err := json.Marshal(o)
	if err != nil {
		return rec, fmt.Errorf("encode the reply: %w", err)
	}
	return d.decideSealed(ctx, rec, o, data, as)
}

// Send ends a record with a sealed outcome that a [Keeper] has queued. It may be repeated.
// Errors are those of [Desk.Reply], and ErrDamaged for what is no outcome.
func (d *Desk) Send(ctx context.Context, id string, data []byte) (Record, error) {
	o, err := decodeOutcome(data)
	if err != nil {
		return Record{}, fmt.Errorf("%w: an outcome of %s: %w", ErrDamaged, id, err)
	}
	rec, err := d.stillOpen(ctx, id)
	if rec.Outcome != nil && rec.Outcome.ID == o.ID {
		return rec, nil
	}
	if err == nil && o.Reply != nil {
		o.Answerer = inferAnswerer(&o)
		_, err = d.admit(ctx, &rec, &o, d.signers(ctx, id), rec.needsProof(d.prove))
	}
	if err != nil {
		return rec, err
	}
	return d.decideSealed(ctx, rec, o, data, o.role())
}

// decideSealed is decide for an outcome that has its id.
func (d *Desk) decideSealed(ctx context.Context, rec Record, o Outcome, data []byte, as Role) (Record, error) {
	err := retryUncertain(func() error { return d.store.Decide(ctx, rec.ID, as, data) })
	if errors.Is(err, ErrExists) { // another was first
		rec, err = d.stillOpen(ctx, rec.ID)
		switch {
		case rec.Outcome != nil && rec.Outcome.ID == o.ID: // collected meanwhile
			err = nil
		case err == nil:
			err = fmt.Errorf("%w: the reply to %s was removed: answer again", ErrUncertain, rec.ID)
		}
		return rec, err
	}
	if err != nil {
		return rec, fmt.Errorf("store the reply: %w", err)
	}
	first, err := d.archived(ctx, rec.ID)
	if errors.Is(err, ErrNotFound) && d.mayBePruned(ctx, rec.ID) {
		// It was in the archive before it went from what is open: look there once more.
		if first, err = d.archived(ctx, rec.ID); errors.Is(err, ErrNotFound) {
			return rec, errors.Join(ErrNotFound, d.store.Delete(ctx, KindReplies, rec.ID))
		}
	}
	if errors.Is(err, ErrNotFound) || err == nil && first.Outcome.ID == o.ID {
		rec.State, rec.Outcome = o.Status, &o
		return rec, nil
	}
	if errors.Is(err, ErrUnreachable) && d.keeper != nil && as == RoleHuman {
		return rec, d.keeper.Queue(ctx, rec.ID, data) // sent again, it finds the archive in reach
	}
	if err != nil {
		return rec, fmt.Errorf("look for an earlier reply: %w", err)
	}
	if first.Later == nil || first.Later.ID != o.ID { // else its host was asked meanwhile; who archives removes the reply
		if err := d.store.Delete(ctx, KindReplies, rec.ID); err != nil {
			d.log.WarnContext(ctx, "a reply that came too late stays in the store", "id", rec.ID, "error", err)
		}
	}
	return first, &ClosedError{ID: rec.ID, Outcome: *first.Outcome}
}

// mayBePruned reports whether a record is old enough to be pruned, and open no more.
func (d *Desk) mayBePruned(ctx context.Context, id string) bool {
	if d.now().Sub(ulid.MustParseStrict(id).Timestamp()) < minHistory {
		return false
	}
	_, err := d.store.Get(ctx, KindPending, id)
	return errors.Is(err, ErrNotFound)
}

// role is the role in which o ends a record: the human's, but for what the asker gives
// itself.
func (o *Outcome) role() Role {
	if o.Reply == nil && o.Surface == "" || o.Answerer != nil && o.Answerer.Kind == AskerAnswerer {
		return RoleAsker
	}
	return RoleHuman
}

// retryUncertain commits a document, and once more where it is uncertain whether it was.
func retryUncertain(commit func() error) error {
	err := commit()
	if errors.Is(err, ErrUncertain) {
		err = commit()
	}
	return err
}

// stamp gives an outcome its id and time.
func (d *Desk) stamp(o *Outcome) {
	id, now := d.nextID()
	o.ID = id
	if o.At.IsZero() {
		o.At = now
	}
}

// reachedHuman reports whether a surface shows the record, or an inbox or a page that
// lists it is open.
func (d *Desk) reachedHuman(ctx context.Context, id string) bool {
	shown := func(s Showing) bool { return s.Why == "" && s.Surface != surfaceInbox }
	if slices.ContainsFunc(d.shownOn(ctx, id), shown) {
		return true
	}
	open, err := d.Present(ctx)
	return err == nil && len(open) > 0
}

// surfaceInbox is the surface that only leaves a record to inboxes and pages.
const surfaceInbox = "inbox"
