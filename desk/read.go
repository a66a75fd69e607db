package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk/store"
)

// Get returns the record with this id, pending or ended. The error is ErrNotFound,
// wraps ErrDamaged, or is a failure of the store.
func (d *Desk) Get(ctx context.Context, id string) (Record, error) {
	rec, _, err := d.get(ctx, id)
	return rec, err
}

// get returns a record and its row.
func (d *Desk) get(ctx context.Context, id string) (Record, store.Row, error) {
	if !ValidID(id) {
		return Record{}, store.Row{}, ErrNotFound
	}
	row, err := d.store.Get(ctx, id)
	if err != nil {
		return Record{}, row, err
	}
	rec, err := d.decode(ctx, row, d.prove)
	return rec, row, err
}

// rows yields the rows of a query: those on a shared desk only while it answers, see [Desk.Away].
func (d *Desk) rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for row, err := range d.store.Rows(ctx, q) {
			if errors.Is(err, ErrUnreachable) {
				d.away.Store(&err)
				return
			}
			if !yield(row, err) {
				return
			}
		}
		d.away.Store(nil)
	}
}

// newest yields the rows of a query, the last asked first, for a caller that needs the first few as a
// rule: a shared desk reads all that a query selects.
func (d *Desk) newest(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		last := "~" // which comes after every id
		for q.Limit = 16; ; q.Limit *= 16 {
			n := 0
			for row, err := range d.rows(ctx, q) {
				n++
				if err == nil && row.ID >= last { // as before
					continue
				}
				last = cmp.Or(row.ID, last)
				if !yield(row, err) {
					return
				}
			}
			if n < q.Limit {
				return
			}
		}
	}
}

// Away returns an error that wraps ErrUnreachable where the last list left records out, as the
// shared desk did not answer.
func (d *Desk) Away() error {
	err := d.away.Load()
	if err == nil {
		return nil
	}
	return *err
}

// records yields the records of the rows of a query. A damaged one is left out, logged and
// counted: see [Desk.Damaged]. An error is the last that is yielded.
func (d *Desk) records(ctx context.Context, q store.Query, policy Policy) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for row, err := range d.rows(ctx, q) {
			if err != nil {
				yield(Record{}, err)
				return
			}
			rec, err := d.decode(ctx, row, policy)
			if d.leaveOut(ctx, row.ID, err) {
				continue
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// leaveOut reports whether a record is damaged, which is logged once.
func (d *Desk) leaveOut(ctx context.Context, id string, err error) bool {
	if !errors.Is(err, ErrDamaged) {
		return false
	}
	_, logged := d.damaged.Swap(id, true)
	if !logged {
		d.log.WarnContext(ctx, "leaving out a damaged record", "id", id, "error", err)
	}
	return true
}

// Damaged returns how many records this desk has left out as damaged.
func (d *Desk) Damaged() (n int) {
	d.damaged.Range(func(any, any) bool { n++; return true })
	return n
}

// Find returns the record whose id begins with prefix, in either case of letters: one that
// has ended only where no open one matches. The error is ErrNotFound, wraps ErrAmbiguous,
// or is one of [Desk.Get].
func (d *Desk) Find(ctx context.Context, prefix string) (Record, error) {
	prefix = strings.ToUpper(prefix)
	if prefix == "" || ValidID(prefix) {
		return d.Get(ctx, prefix)
	}
	all, err := store.Collect(d.records(ctx, store.Query{Prefix: prefix}, d.prove))
	if err != nil {
		return Record{}, err
	}
	found := slices.DeleteFunc(slices.Clone(all), func(rec Record) bool { return rec.Outcome != nil })
	if len(found) == 0 {
		found = all
	}
	switch len(found) {
	case 0:
		return Record{}, cmp.Or(d.Away(), ErrNotFound)
	case 1:
		return found[0], nil
	}
	return Record{}, fmt.Errorf("%q %w (%d do, %s and %s among them): give more of it",
		prefix, ErrAmbiguous, len(found), found[len(found)-1].ID, found[0].ID)
}

// Pending returns the open records, oldest first, without those that were kept for as long
// as their asker wanted. A record that cannot be read is left out and logged; those on a
// shared desk are left out while it does not answer: see [Desk.Away].
func (d *Desk) Pending(ctx context.Context) ([]Record, error) {
	open, err := store.Collect(d.records(ctx, store.Query{Open: true, Ascend: true}, d.prove))
	if err != nil {
		return nil, err
	}
	// An asker, or TidyUp, ends what is overdue: not a listing.
	return slices.DeleteFunc(open, func(rec Record) bool { return d.overdue(&rec) }), nil
}

// overdue reports whether no asker has waited for an open record for as long as its asker wanted,
// counted from the question or the last work on it.
func (d *Desk) overdue(rec *Record) bool {
	return !rec.Attended && d.now().Sub(rec.used()) > seconds(rec.Keep)
}

// used is when an open record was last of use: asked, or worked on.
func (rec *Record) used() time.Time {
	if rec.Worked.After(rec.CreatedAt) {
		return rec.Worked
	}
	return rec.CreatedAt
}

// Query says which records of the past are wanted.
type Query struct {
	Since time.Time // asked at or after this time; the zero time is always
	// Touched is the same for what was asked or has ended since, by the clock of the store.
	Touched time.Time
	// Search is what to look for in questions, answers, notes, reasons, client, directory and
	// session, in any case.
	Search string
	Limit  int  // at most so many, the last asked; 0 is all
	Ascend bool // the first asked of them first
}

// History returns the records that have ended, the last asked first unless the query says
// otherwise. Damaged ones are left out, logged and counted, see [Desk.Damaged], and so are those
// of a shared desk that does not answer, see [Desk.Away]; a failure to read one is an error,
// the last that is yielded.
func (d *Desk) History(ctx context.Context, q Query) iter.Seq2[Record, error] {
	find := store.Query{Ended: true, Since: q.Since, Touched: q.Touched, Limit: q.Limit, Ascend: q.Ascend}
	if q.Search != "" {
		find.Search = []string{plainText(q.Search)}
	}
	return d.records(ctx, find, ProveNone)
}

// Session returns the records of a session, oldest first.
func (d *Desk) Session(ctx context.Context, session string) ([]Record, error) {
	if session == "" {
		return nil, nil
	}
	all, err := store.Collect(d.records(ctx, store.Query{Session: session}, d.prove))
	if err == nil && len(all) == 0 {
		err = d.Away()
	}
	all = slices.DeleteFunc(all, func(rec Record) bool { return rec.Round == 0 }) // calls that were not asked
	slices.Reverse(all)
	return all, err
}

// Mirrored returns the mirrored records of a session that are not settled, the last asked
// first. A reply stays provisional until its host reports how the dialog has ended, for the keep time at most.
func (d *Desk) Mirrored(ctx context.Context, session string) ([]Record, error) {
	all, err := d.Session(ctx, session)
	all = slices.DeleteFunc(all, func(rec Record) bool {
		settled := rec.Outcome != nil && (!rec.Outcome.Provisional || d.now().Sub(rec.Outcome.At) > d.keepTime)
		return settled || !rec.Asker.Mirrored()
	})
	slices.Reverse(all)
	return all, err
}
