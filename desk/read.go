package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/oklog/ulid/v2"
)

// Get returns the record with this id, pending or ended, archived or not, and
// what is known of a pending one at this moment. The error is ErrNotFound,
// wraps ErrDamaged, or is a failure of the store.
func (d *Desk) Get(ctx context.Context, id string) (Record, error) {
	rec, err := d.get(ctx, id)
	if err == nil {
		d.addPresence(ctx, &rec)
	}
	return rec, err
}

// get is Get without what changes from moment to moment.
//
// It reads without a lock while others reply and archive. The documents of a record are
// created and removed in this order: pending, reply, archive; pending removed, reply
// removed. So
//
//   - no reply, then a pending document: it was open when the reply was read;
//   - neither: the archive entry must exist;
//   - a reply counts only if no archive entry exists afterwards: a late one (see decide)
//     exists beside the entry for a moment.
func (d *Desk) get(ctx context.Context, id string) (Record, error) {
	if !ValidID(id) {
		return Record{}, ErrNotFound
	}
	docs := d.read(ctx, Key{KindReplies, id}, Key{KindPending, id})
	reply, asked := docs[0], docs[1]
	if err := cmp.Or(reply.Err, asked.Err); err != nil {
		return Record{}, err
	}
	if asked.Data != nil && reply.Data == nil {
		return d.decodeAsked(id, asked, reply)
	}
	rec, err := d.archived(ctx, id)
	if !errors.Is(err, ErrNotFound) {
		return rec, err
	}
	return d.decodeAsked(id, asked, reply)
}

// read returns documents; one that is not there is zero.
func (d *Desk) read(ctx context.Context, keys ...Key) []Document {
	var docs []Document
	if all, ok := d.store.(Reader); ok {
		docs = all.Read(ctx, keys...)
	} else {
		docs = make([]Document, len(keys))
		for i, key := range keys {
			docs[i].Data, docs[i].Err = d.store.Get(ctx, key.Kind, key.ID)
		}
	}
	for i, doc := range docs {
		switch {
		case errors.Is(doc.Err, ErrNotFound):
			docs[i] = Document{}
		case doc.Err == nil && doc.Data == nil:
			docs[i].Data = []byte{} // there, and empty
		}
	}
	return docs
}

// archived returns a record from the archive, or ErrNotFound.
func (d *Desk) archived(ctx context.Context, id string) (Record, error) {
	return d.decodeArchived(id, d.read(ctx, Key{KindArchive, id})[0], d.prove)
}

// Find returns the record whose id begins with prefix, in either case of letters: an
// archived one only where no other matches. The error is ErrNotFound, wraps ErrAmbiguous,
// or is one of [Desk.Get].
func (d *Desk) Find(ctx context.Context, prefix string) (Record, error) {
	prefix = strings.ToUpper(prefix)
	if prefix == "" || ValidID(prefix) {
		return d.Get(ctx, prefix)
	}
	for _, kind := range []Kind{KindPending, KindArchive} {
		ids, err := d.list(ctx, kind, Range{From: prefix, Before: prefix + "~"}) // which comes after every letter
		if err != nil {
			return Record{}, err
		}
		switch len(ids) {
		case 0:
			continue
		case 1:
			return d.Get(ctx, ids[0])
		}
		return Record{}, fmt.Errorf("%q %w (%d do, %s and %s among them): give more of it",
			prefix, ErrAmbiguous, len(ids), ids[0], ids[len(ids)-1])
	}
	// A store out of reach lists what it remembers. That there is no other, only
	// a read tells.
	return d.Get(ctx, prefix+strings.Repeat("0", max(0, ulid.EncodedSize-len(prefix))))
}

// Reach returns an error that wraps ErrUnreachable where a listing may leave records
// out, as their home does not answer.
func (d *Desk) Reach(ctx context.Context) error {
	if _, err := d.get(ctx, strings.Repeat("0", ulid.EncodedSize)); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// leaveOut reports whether a record that was listed, or marked, does not exist or is
// damaged, which is logged once.
func (d *Desk) leaveOut(ctx context.Context, id string, err error) bool {
	damaged := errors.Is(err, ErrDamaged)
	if damaged {
		if _, logged := d.loggedDamage.Swap(id, true); !logged {
			d.log.WarnContext(ctx, "leaving out a damaged record", "id", id, "error", err)
		}
	}
	return damaged || errors.Is(err, ErrNotFound)
}

// getEach yields the records of ids as [Desk.get] has them, but for those that leaveOut
// names. An error is the last that it yields.
func (d *Desk) getEach(ctx context.Context, ids ...string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, id := range ids {
			rec, err := d.get(ctx, id)
			if d.leaveOut(ctx, id, err) {
				continue
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// sideBySide calls do for 0 to n-1, on all processors.
func sideBySide(n int, do func(i int)) {
	var workers sync.WaitGroup
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}

// list returns the ids in a range, the oldest first.
func (d *Desk) list(ctx context.Context, kind Kind, in Range) ([]string, error) {
	var ids []string
	for id, err := range d.store.List(ctx, kind, in) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids, nil
}

// Pending returns the open records, oldest first, without those that were kept for as long
// as their asker wanted. A document that cannot be read is left out and logged. It ends no
// record, and archives those that have ended and were delivered, or kept for long enough.
func (d *Desk) Pending(ctx context.Context) ([]Record, error) {
	// Few records have more than a document: the rest is listed, not looked for.
	ids, decided, err := d.openIDs(ctx)
	if err == nil {
		err = d.archiveEach(ctx, decided)
	}
	if err != nil {
		return nil, err
	}
	shown, err := d.list(ctx, KindShowing, Range{})
	if err != nil {
		return nil, err
	}
	held, err := d.store.Locks(ctx, KindAskers)
	if err != nil {
		d.log.DebugContext(ctx, "which records are attended", "error", err)
	}
	slices.Sort(held)
	keys := make([]Key, len(ids))
	for i, id := range ids {
		keys[i] = Key{KindPending, id}
	}
	docs, records, faults := d.read(ctx, keys...), make([]Record, len(ids)), make([]error, len(ids))
	sideBySide(len(ids), func(i int) {
		id := ids[i]
		records[i], faults[i] = d.decodeAsked(id, docs[i], Document{})
		records[i].Attended = contains(held, id)
		if contains(shown, id) {
			records[i].ShownOn = d.shownOn(ctx, id)
		}
	})
	open := records[:0]
	for i, rec := range records {
		switch err := faults[i]; {
		case d.leaveOut(ctx, ids[i], err): // damaged, or removed since it was listed
		case err != nil:
			return nil, err
		case rec.Attended || !d.overdue(ctx, &rec): // else an asker ends it, not a listing
			open = append(open, rec)
		}
	}
	return open, nil
}

// openIDs returns the ids of records that are asked and have no reply, and of those
// that have one and are not archived. It lists replies first, see [Desk.get].
func (d *Desk) openIDs(ctx context.Context) (open, decided []string, err error) {
	replies, err := d.list(ctx, KindReplies, Range{})
	if err != nil {
		return nil, nil, err
	}
	asked, err := d.list(ctx, KindPending, Range{})
	for _, id := range asked {
		if contains(replies, id) {
			decided = append(decided, id)
		} else {
			open = append(open, id)
		}
	}
	return open, decided, err
}

// contains reports whether ids, ascending, have this one.
func contains(ids []string, id string) bool {
	_, found := slices.BinarySearch(ids, id)
	return found
}
