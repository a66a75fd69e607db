package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// decodeRecord reads a record. It refuses one that is not consistent: a record has an
// outcome exactly when it has ended.
func decodeRecord(id string, data []byte) (Record, error) {
	var rec Record
	err := decode(data, &rec)
	switch {
	case err != nil:
	case rec.ID != id:
		err = fmt.Errorf("it says that it is %q", rec.ID)
	case rec.Outcome == nil && rec.State != Pending:
		err = fmt.Errorf("%q without an outcome", rec.State)
	case rec.Outcome == nil:
	case rec.State != rec.Outcome.Status:
		err = fmt.Errorf("%q with an outcome %q", rec.State, rec.Outcome.Status)
	default:
		err = rec.Outcome.check()
	}
	if err == nil && rec.Later != nil {
		err = rec.Later.check()
	}
	if err != nil {
		return Record{}, err
	}
	return rec, nil
}

// damaged is the error of a document that this program did not write. It names the
// document's file, where it is one.
func (d *Desk) damaged(kind Kind, id string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrDamaged, cmp.Or(d.store.Path(kind, id), string(kind)+" "+id), err)
}

// decodeArchived reads a document of the archive collection, which has ended. The policy is
// that of the desk, or none in a look at the past, which may be older than the policy.
func (d *Desk) decodeArchived(id string, doc Document, policy Policy) (Record, error) {
	if doc.Err != nil || doc.Data == nil {
		return Record{}, cmp.Or(doc.Err, ErrNotFound)
	}
	rec, err := decodeRecord(id, doc.Data)
	if err == nil && rec.Outcome == nil {
		err = errors.New("it is archived and pending")
	}
	if err != nil {
		return Record{}, d.damaged(KindArchive, id, err)
	}
	if err := d.validateOutcome(&rec, rec.outcomeAuthor(doc), policy); err != nil {
		return Record{}, err
	}
	d.addQueued(&rec)
	return rec, nil
}

// outcomeAuthor returns the author of the outcome of an archived record; nil where the
// store knows no credentials. The entry proves only its own writer: a human's outcome is
// read from the store's copy, and becomes the later reply where the entry has another.
func (rec *Record) outcomeAuthor(doc Document) *Author {
	if doc.By == nil {
		return nil
	}
	writer := &Author{Role: RoleAsker}
	if rec.Later != nil && rec.Later.Reply != nil {
		rec.Later.Answerer = inferAnswerer(rec.Later)
		rec.Later.Answerer.limit(rec, writer)
	}
	o, err := decodeOutcome(doc.HumanOutcome)
	if err != nil {
		return writer
	}
	if o.Reply != nil {
		o.Answerer = inferAnswerer(&o)
		o.Answerer.limit(rec, doc.By)
	}
	switch {
	case o.ID == rec.Outcome.ID:
		o.Unsettled = rec.Outcome.Unsettled
		rec.State, rec.Outcome = o.Status, &o
		return doc.By
	case rec.Later == nil && o.Reply != nil, rec.Later != nil && rec.Later.ID == o.ID:
		rec.Later = &o
	}
	return writer
}

// decodeAsked reads a document of the pending collection, and joins it with that of
// the replies collection, if there is one.
func (d *Desk) decodeAsked(id string, asked, reply Document) (Record, error) {
	if asked.Err != nil || asked.Data == nil {
		return Record{}, cmp.Or(asked.Err, ErrNotFound)
	}
	rec, err := decodeRecord(id, asked.Data)
	if err == nil && rec.Outcome != nil {
		err = errors.New("it was asked with its outcome")
	}
	if err != nil {
		return Record{}, d.damaged(KindPending, id, err)
	}
	if d.keeper != nil {
		rec.Home = d.keeper.Home(id)
	}
	if reply.Data == nil {
		d.addQueued(&rec)
		return rec, nil
	}
	o, err := decodeOutcome(reply.Data)
	if err != nil {
		return Record{}, d.damaged(KindReplies, id, err)
	}
	rec.State, rec.Outcome = o.Status, &o
	if err := d.validateOutcome(&rec, reply.By, d.prove); err != nil {
		return Record{}, err
	}
	d.addQueued(&rec)
	return rec, nil
}

// addQueued adds the reply that was given to a record on this machine and is not stored
// with it: it is queued, or another outcome was first.
func (d *Desk) addQueued(rec *Record) {
	if d.keeper == nil {
		return
	}
	data, queued := d.keeper.LocalOutcome(rec.ID)
	switch {
	case data == nil:
	case rec.Outcome == nil:
		rec.Unsent = queued
	case rec.Later == nil:
		if o, err := decodeOutcome(data); err == nil && o.ID != rec.Outcome.ID {
			rec.Later = &o
		}
	}
}

// validateOutcome checks an outcome from the store like one from a surface. A record whose
// outcome does not answer the set, or has an answerer that may not give it, has failed. The
// credential of the author, where the store knows it, limits the answerer. The error is that
// the trusted keys cannot be read: the answer stays where it is.
func (d *Desk) validateOutcome(rec *Record, by *Author, policy Policy) error {
	o := rec.Outcome
	byHuman := by != nil && by.Role == RoleHuman
	if o == nil || o.Reply == nil && !byHuman {
		return nil
	}
	var fault string
	var err error
	if o.Reply == nil {
		fault, err = "the end in the store is not signed with the credential of its human", rec.checkCredential(o, by)
	} else {
		o.Answerer = inferAnswerer(o)
		if by != nil {
			o.Answerer.limit(rec, by)
		}
		if by != nil && !byHuman { // a host's outcome is final
			o.Unsettled = false
		}
		fault, err = d.admit(context.Background(), rec, o, by, rec.needsProof(policy))
	}
	if errors.Is(err, errKeys) {
		return fmt.Errorf("%s: %w", rec.ID, err)
	}
	if err == nil && (o.Asked != "" || byHuman && o.Reply != nil) && o.Asked != rec.Statement() {
		fault = "the answer in the store is to another question"
		err = fmt.Errorf("it answers %.12s, and the question reads as %.12s", o.Asked, rec.Statement())
	}
	if err == nil {
		if err = d.checkStatement(rec); err != nil {
			fault = "the question in the store is not the one that was asked"
		}
	}
	if err != nil {
		d.log.Error(fault+", and does not count", "id", rec.ID, "answerer", o.Answerer, "author", by, "error", err)
		rec.State, rec.Outcome = Failed, &Outcome{ID: o.ID, Status: Failed, Reason: fault, Surface: o.Surface, At: o.At}
	}
	return nil
}

// decodeOutcome reads a document of the replies collection.
func decodeOutcome(data []byte) (o Outcome, err error) {
	if err = decode(data, &o); err == nil {
		err = o.check()
	}
	return o, err
}

// decode reads a document. The error, which users read, has none of our type names.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("a JSON %s does not belong at %q", odd.Value, odd.Field)
	}
	return err
}

// check returns why o cannot be an outcome: one of the human carries a reply, any
// other none.
func (o *Outcome) check() error {
	switch o.Status {
	case Answered, Dismissed, Discuss:
		if o.Reply == nil {
			return fmt.Errorf("outcome %q without a reply", o.Status)
		}
		if StatusOf(*o.Reply) != o.Status {
			return fmt.Errorf("outcome %q with a reply that says otherwise", o.Status)
		}
	case Cancelled, Timeout, Unavailable, Failed:
		if o.Reply != nil {
			return fmt.Errorf("outcome %q with a reply", o.Status)
		}
	default:
		return fmt.Errorf("unknown outcome %q", o.Status)
	}
	return nil
}
