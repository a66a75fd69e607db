package shared

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"mcp-askuser/desk/store"
)

// keep is for how long the documents of a row stay after it is of no use. As all have the same
// time to live, no other document of a row ends before its question.
const keep = 60 * 24 * time.Hour

// record is a row with what the store alone knows. As JSON it is the document of what is asked.
type record struct {
	store.Row
	Holder string    `json:"holder"` // the process that waits, or waited; empty after a release
	noted  time.Time // or answered, by the clock of the server
	ended  []byte    // the document of the outcome
}

// subject is where a document of the row is.
func (r *record) subject(kind string) string { return rowsRoot + r.Owner + "." + r.ID + "." + kind }

// change is a write that is refused where the row has changed since it was read.
func (r *record) change(kind string, data []byte) write {
	return write{r.subject(kind), data, r.ttl(), r.subject(">"), uint64(r.Revision.Far)}
}

func (r *record) ttl() time.Duration { return max(r.Keep, 0) + keep }

// kept reports whether the row was of use at a time without a process that waits.
func (r *record) kept(at time.Time) bool { return !latest(r.noted, r.At).Add(r.Keep).Before(at) }

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// add adds a document. Callers add those of a row in the order of their sequences: the first
// question under an id counts, and its first outcome. The error is that it is no question: nothing
// else that a credential may store makes a row unreadable, or all lists would be.
func (r *record) add(m *message) error {
	d, ok := parse(m.Subject)
	if !ok || r.Owner == "" && d.kind != "q" || r.Owner != "" && d.owner != r.Owner {
		return nil
	}
	var err error
	switch {
	case d.kind == "q" && r.Owner == "":
		err = r.setQuestion(d, m)
	case d.kind == "a" && len(d.rest) == 1 && r.ended == nil:
		var end store.Ending
		if json.Unmarshal(m.Data, &end) != nil {
			end = store.Ending{Outcome: m.Data} // what that is, its reader finds out
		}
		r.ended, r.Outcome, r.Text, r.noted = m.Data, append([]byte{}, end.Outcome...), end.Text, m.Time
		r.Human = human(d.rest[0])
	case d.kind == "n" && len(d.rest) == 1:
		for note := range store.Notes {
			if note.String() == d.rest[0] {
				r.Notes[note], r.noted = m.Data, latest(r.noted, m.Time)
			}
		}
	case d.kind == "h":
		r.Holder = string(m.Data)
	case d.kind == "d":
		r.Holder, r.Delivered = "", true
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", store.ErrDamaged, m.Subject, err)
	}
	r.Revision.Far = max(r.Revision.Far, int64(m.Seq))
	return nil
}

func (r *record) setQuestion(d document, m *message) error {
	var asked record
	err := json.Unmarshal(m.Data, &asked)
	if err != nil {
		return err
	}
	if m.Subject != questionSubject(d.owner, &asked.Row) {
		return errors.New("it is under a subject of another")
	}
	asked.Owner, asked.Home = d.owner, r.Home
	if asked.Outcome != nil { // it was stored as it had ended
		asked.ended, asked.Delivered, asked.Holder = asked.Outcome, true, ""
		asked.Human = human(d.owner)
	}
	*r = asked
	return nil
}

// newRecord returns a record that documents are added to.
func (s *Store) newRecord() *record { return &record{Row: store.Row{Home: s.home}} }

// read returns a row, without whether its holder lives. The list of its documents decides what
// the row lacks; a reply without one of them is that of a node that has been the leader.
func (s *Store) read(ctx context.Context, id string) (*record, error) {
	r, found := s.newRecord(), map[string]bool{}
	if !isToken(id) {
		return r, store.ErrNotFound
	}
	filter := rowsRoot + "*." + id + ".q.>"
	question, err := s.next(ctx, filter, 1)
	if err == nil {
		err = r.add(&question)
		filter = r.subject(">")
	}
	if err == nil {
		err = s.after(ctx, 0, math.MaxUint64, filter, func(m *message) {
			found[m.Subject] = true
			_ = r.add(m) // of what is no question it returns none
		})
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return r, err
	}
	failed := s.subjects(ctx, filter, func(subject string) {
		if !found[subject] {
			err = errRaced
		}
	})
	return r, cmp.Or(failed, err)
}

// readAll reads rows: of many, with one consumer where the credential may have it. Rows that
// nothing is known of, and questions that are none, are left out.
func (s *Store) readAll(ctx context.Context, ids []string) ([]*record, error) {
	found := make([]*record, len(ids))
	if len(ids) > 4*maxInFlight && s.identity().Human {
		return s.scanAll(ctx, ids)
	}
	err := each(len(ids), func(i int) (err error) {
		found[i], err = s.read(ctx, ids[i])
		if errors.Is(err, store.ErrNotFound) || s.isNoQuestion(err) {
			found[i], err = nil, nil
		}
		return err
	})
	return slices.DeleteFunc(found, func(r *record) bool { return r == nil }), err
}

// isNoQuestion reports, and logs, that a credential has stored under its name what is none: of
// that no reader can know a row. The server checks what it has on its disk.
func (s *Store) isNoQuestion(err error) bool {
	if !errors.Is(err, store.ErrDamaged) {
		return false
	}
	s.log.Info("a document that is no question is ignored", "error", err)
	return true
}

func (s *Store) scanAll(ctx context.Context, ids []string) (found []*record, err error) {
	all := map[string]*record{}
	for _, id := range ids {
		all[id] = s.newRecord()
	}
	err = s.scan(ctx, rowsRoot+">", func(m message) {
		d, _ := parse(m.Subject)
		r := all[d.id]
		if r != nil {
			s.isNoQuestion(r.add(&m))
		}
	})
	for _, id := range ids {
		if all[id].Owner != "" {
			found = append(found, all[id])
		}
	}
	return found, err
}
