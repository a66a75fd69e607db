package desk

import (
	"encoding/json"
	"errors"
	"fmt"
)

// decodeRecord reads a record. What does not add up is refused with
// [ErrDamaged]: whoever uses one may rely on its outcome being there exactly
// when it has ended.
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
		return Record{}, fmt.Errorf("%w: record %s: %w", ErrDamaged, id, err)
	}
	return rec, nil
}

// decodeArchived reads a document of the archive collection, which has ended.
func (d *Desk) decodeArchived(id string, data []byte) (Record, error) {
	rec, err := decodeRecord(id, data)
	if err == nil && rec.Outcome == nil {
		return Record{}, fmt.Errorf("%w: record %s is archived and pending", ErrDamaged, id)
	}
	d.believe(&rec)
	return rec, err
}

// decodeAsked reads a document of the pending collection, which has not, and
// joins it with that of the replies collection, if there is one.
func (d *Desk) decodeAsked(id string, asked, reply []byte) (Record, error) {
	rec, err := decodeRecord(id, asked)
	if err != nil {
		return Record{}, err
	}
	if rec.Outcome != nil {
		return Record{}, fmt.Errorf("%w: record %s was asked with its outcome", ErrDamaged, id)
	}
	if reply == nil {
		return rec, nil
	}
	o, err := decodeOutcome(id, reply)
	if err != nil {
		return Record{}, err
	}
	rec.State, rec.Outcome = o.Status, &o
	d.believe(&rec)
	return rec, nil
}

// believe checks a reply that comes from the store like one from a form. What
// does not answer the set, forged or damaged as it is, is no answer: the record
// has failed.
func (d *Desk) believe(rec *Record) {
	if rec.Reply() == nil {
		return
	}
	if _, err := rec.Check(*rec.Reply()); err != nil {
		d.log.Error("the answer in the store does not fit its question, and does not count", "id", rec.ID, "error", err)
		o := rec.Outcome
		rec.State, rec.Outcome = Failed, &Outcome{ID: o.ID, Status: Failed, Reason: "the answer in the store does not fit the question", Surface: o.Surface, At: o.At}
	}
}

// decodeOutcome reads a document of the replies collection.
func decodeOutcome(id string, data []byte) (Outcome, error) {
	var o Outcome
	err := decode(data, &o)
	if err == nil {
		err = o.check()
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("%w: reply to %s: %w", ErrDamaged, id, err)
	}
	return o, nil
}

// decode reads a document. People read the error: it has no names of ours.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("a JSON %s does not belong at %q", odd.Value, odd.Field)
	}
	return err
}

// check says whether o can be how a record ended: a human's end carries the
// reply, any other carries none.
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
