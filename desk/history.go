package desk

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Query says which records of the past are wanted.
type Query struct {
	Since  time.Time // asked at or after this time; the zero time is always
	Search string    // in questions, answers, reasons, client or directory, in any case
	Limit  int       // at most so many; 0 is all
}

// batch is how many records are read at a time.
const batch = 256

// History returns the records that have ended, the last asked first, archived
// or not. Damaged ones are left out and logged.
func (d *Desk) History(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		ids, err := d.past(ctx, q.Since)
		if err != nil {
			yield(Record{}, err)
			return
		}
		found := 0
		for some := range slices.Chunk(ids, batch) {
			for _, rec := range d.readAll(ctx, some, strings.ToLower(q.Search)) {
				if rec.ID == "" {
					continue
				}
				if !yield(rec, nil) {
					return
				}
				if found++; found == q.Limit {
					return
				}
			}
			if ctx.Err() != nil {
				yield(Record{}, context.Cause(ctx))
				return
			}
		}
	}
}

// past returns the ids of all records asked since, the last first.
func (d *Desk) past(ctx context.Context, since time.Time) ([]string, error) {
	var ids []string
	for _, kind := range []Kind{KindArchive, KindPending} {
		some, err := d.store.List(ctx, kind, "")
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids) // one that is being archived is in both
	if !since.IsZero() {
		from, _ := slices.BinarySearchFunc(ids, since, func(id string, since time.Time) int {
			return ulid.MustParseStrict(id).Timestamp().Compare(since.Truncate(time.Millisecond))
		})
		ids = ids[from:]
	}
	slices.Reverse(ids)
	return ids, nil
}

// readAll reads records side by side, in the order of ids; those that have not
// ended, cannot be read or do not match are zero.
func (d *Desk) readAll(ctx context.Context, ids []string, search string) []Record {
	out := make([]Record, len(ids))
	var readers sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for r := range n {
		readers.Go(func() {
			for i := r; i < len(ids); i += n {
				out[i] = d.ended(ctx, ids[i], search)
			}
		})
	}
	readers.Wait()
	return out
}

// ended reads one record of the past.
func (d *Desk) ended(ctx context.Context, id, search string) Record {
	// Most are archived, and most do not match: look before decoding.
	data, err := d.store.Get(ctx, KindArchive, id)
	if err == nil && search != "" && plain(search) && !bytes.Contains(bytes.ToLower(data), []byte(search)) {
		return Record{}
	}
	var rec Record
	if err == nil {
		rec, err = decodeArchived(id, data)
	} else {
		rec, err = d.get(ctx, id)
	}
	switch {
	case errors.Is(err, ErrDamaged):
		d.log.WarnContext(ctx, "leaving out a damaged record", "id", id, "error", err)
		return Record{}
	case err != nil || rec.Outcome == nil || !rec.mentions(search):
		return Record{}
	}
	return rec
}

// plain reports whether a text stands in JSON as it is.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || strings.ContainsRune("\"\\<>&\u2028\u2029", r)
	})
}

// mentions reports whether a record has to do with what is searched, in lower
// case.
func (rec *Record) mentions(search string) bool {
	if search == "" {
		return true
	}
	has := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(strings.ToLower(s), search) })
	}
	if has(rec.Asker.Client, rec.Asker.Directory, rec.ID, rec.Outcome.Reason, rec.SessionID) {
		return true
	}
	reply := rec.Outcome.Reply
	if reply != nil && has(reply.Note, reply.Reason) {
		return true
	}
	for _, q := range rec.All() {
		if has(q.Text, q.Header, q.Description) {
			return true
		}
		for _, o := range q.Options {
			if has(o.Label) {
				return true
			}
		}
		if reply != nil {
			if a := reply.Answer(q.ID); a != nil && has(q.Words(a)...) {
				return true
			}
		}
	}
	return false
}
