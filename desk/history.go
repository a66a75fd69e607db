package desk

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// Query says which records of the past are wanted.
type Query struct {
	Since  time.Time // asked at or after this time; the zero time is always
	Search string    // in questions, answers, reasons, client or directory, or what an id or a session begins with, in any case
	Limit  int       // at most so many, the last asked; 0 is all
	Ascend bool      // the first asked of them first
}

// batch is how many records are read at a time.
const batch = 256

// History returns the records that have ended, the last asked first unless the
// query says otherwise, archived or not. It reads no further than it is asked
// for, and keeps no records. Damaged ones are left out, logged and counted, see
// [Desk.Damaged]; a failure to read one is an error, the last that is yielded.
func (d *Desk) History(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		q, ids := q, d.past(ctx, q.Since)
		q.Search = strings.ToLower(q.Search)
		if q.Ascend {
			ids = d.ascending(ctx, q)
		}
		if q.Ascend && q.Limit > 0 { // the ids are those that match
			q.Search, q.Limit = "", 0
		}
		size, left := batch, q.Limit
		if q.Limit > 0 && q.Search == "" {
			size = min(batch, q.Limit) // most of them count
		}
		for some, err := range batches(ids, size) {
			if err := cmp.Or(err, context.Cause(ctx)); err != nil {
				yield(Record{}, err)
				return
			}
			records, faults := make([]Record, len(some)), make([]error, len(some))
			sideBySide(len(some), func(i int) { records[i], faults[i] = d.ended(ctx, some[i], q.Search) })
			for i, rec := range records {
				if faults[i] != nil {
					yield(Record{}, faults[i])
					return
				}
				if rec.ID == "" {
					continue
				}
				if left--; !yield(rec, nil) || left == 0 {
					return
				}
			}
		}
	}
}

// batches yields ids, as many as size at a time. An error is the last that it yields.
func batches(ids iter.Seq2[string, error], size int) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		var some []string
		for id, err := range ids {
			if err != nil {
				yield(some, err)
				return
			}
			if some = append(some, id); len(some) == size {
				if !yield(some, nil) {
					return
				}
				some = nil
			}
		}
		if len(some) > 0 {
			yield(some, nil)
		}
	}
}

// ascending yields the ids of a query's records, the first asked first; without a limit
// those of all that may be among them.
func (d *Desk) ascending(ctx context.Context, q Query) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ids := d.past(ctx, q.Since)
		if q.Ascend = false; q.Limit > 0 {
			ids = func(yield func(string, error) bool) {
				d.History(ctx, q)(func(rec Record, err error) bool { return yield(rec.ID, err) })
			}
		}
		var all []ulid.ULID // a third of the memory that their strings take
		for id, err := range ids {
			if err != nil {
				yield("", err)
				return
			}
			all = append(all, ulid.MustParseStrict(id))
		}
		for _, id := range slices.Backward(all) {
			if !yield(id.String(), nil) {
				return
			}
		}
	}
}

// past yields the ids of all records asked since, the last first: those of the
// archive, and between them the few that are not archived yet. What is archived
// meanwhile is in both.
func (d *Desk) past(ctx context.Context, since time.Time) iter.Seq2[string, error] {
	in := Range{From: FirstID(since)}
	return Merge(d.store.List(ctx, KindPending, in), d.store.List(ctx, KindArchive, in))
}

// ended reads a record of the past; one that has not ended, is damaged or does not match is
// zero.
func (d *Desk) ended(ctx context.Context, id, search string) (Record, error) {
	// Most are archived, and most do not match: look before decoding.
	doc := d.read(ctx, Key{KindArchive, id})[0]
	if doc.Data != nil && search != "" && plain(search) && !bytes.Contains(bytes.ToLower(doc.Data), []byte(search)) {
		return Record{}, nil
	}
	var rec Record
	var err error
	if doc.Data != nil {
		rec, err = d.decodeArchived(id, doc, ProveNone)
	} else {
		rec, err = d.get(ctx, id)
	}
	if d.leaveOut(ctx, id, err) || err == nil && (rec.Outcome == nil || search != "" && !rec.mentions(search)) {
		return Record{}, nil
	}
	return rec, err
}

// Damaged returns how many records this desk has left out as damaged.
func (d *Desk) Damaged() (n int) {
	d.loggedDamage.Range(func(any, any) bool { n++; return true })
	return n
}

// plain reports whether JSON has a text as it is.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || strings.ContainsRune("\"\\<>&\u2028\u2029", r)
	})
}

// mentions reports whether a record has to do with what is searched, in lower
// case.
func (rec *Record) mentions(search string) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), search) }
	begins := func(id string) bool { return strings.HasPrefix(strings.ToLower(id), search) } // a few letters are in the middle of many
	texts := []string{rec.Asker.Client, rec.Asker.Directory, rec.Outcome.Reason}
	reply := rec.Outcome.Reply
	if reply != nil {
		texts = append(texts, reply.Note, reply.Reason)
	}
	for _, q := range rec.All() {
		texts = append(texts, q.Text, q.Header, q.Description)
		for _, o := range q.Options {
			texts = append(texts, o.Label)
		}
		if reply == nil {
			continue
		}
		if a := reply.Answer(q.ID); a != nil {
			texts = append(texts, q.Words(a)...)
		}
	}
	return begins(rec.ID) || begins(rec.SessionID) || slices.ContainsFunc(texts, has)
}
