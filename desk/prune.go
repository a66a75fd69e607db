package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// minHistory is the least age at which a question of the past is pruned: by then no
// answerer that found it open is still about to answer. See Desk.decide.
const minHistory = time.Hour

// Month is what was pruned, or would be, of the questions of one month.
type Month struct {
	Name      string `json:"month"` // 2006-01
	Questions int    `json:"questions"`
	Bytes     int64  `json:"bytes"` // with their files
}

// Prune removes the questions that were asked before a time and have ended, with their
// index entries, and returns how many of each month, the first month first; dry, it only
// counts. What is open, not collected, damaged, or the earlier record of an open one is
// kept. The error wraps ErrDenied where the credential may not remove some.
func (d *Desk) Prune(ctx context.Context, before time.Time, dry bool) ([]Month, error) {
	months, _, err := d.prune(ctx, before, dry, 0)
	return months, err
}

// prune is Prune for at most limit questions; 0 is all. It reports whether there may be
// more.
func (d *Desk) prune(ctx context.Context, before time.Time, dry bool, limit int) (months []Month, more bool, err error) {
	if latest := d.now().Add(-minHistory); before.After(latest) {
		before = latest
	}
	used, err := d.inUse(ctx)
	if err != nil {
		return nil, false, err
	}
	seen := 0
	for some, fault := range batches(d.store.List(ctx, KindArchive, Range{Before: FirstID(before)}), batch) {
		some = slices.DeleteFunc(some, func(id string) bool { return used[id] })
		if seen += len(some); limit > 0 && seen > limit {
			more, some = true, some[:len(some)-(seen-limit)]
		}
		sizes, faults := make([]int64, len(some)), make([]error, len(some))
		sideBySide(len(some), func(i int) {
			if ctx.Err() == nil {
				sizes[i], faults[i] = d.pruneOne(ctx, some[i], dry)
			}
		})
		for i, size := range sizes {
			if size == 0 { // it stays
				continue
			}
			name := MonthOf(some[i])
			if n := len(months); n == 0 || months[n-1].Name != name {
				months = append(months, Month{Name: name})
			}
			month := &months[len(months)-1]
			month.Questions++
			month.Bytes += size
		}
		err = cmp.Or(slices.Concat(faults, []error{err, fault, context.Cause(ctx)})...)
		if more || err != nil && !errors.Is(err, ErrDenied) {
			break
		}
	}
	slices.Reverse(months)
	return months, more, err
}

// inUse returns the questions that must not be pruned: those that are open or not archived,
// and their earlier records.
func (d *Desk) inUse(ctx context.Context) (map[string]bool, error) {
	used := map[string]bool{}
	for _, kind := range []Kind{KindPending, KindReplies} {
		ids, err := d.list(ctx, kind, Range{})
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if doc := d.read(ctx, Key{kind, id})[0]; doc.Err == nil && doc.Data == nil {
				continue // a store may list for a moment what was removed
			}
			used[id] = true
			rec, err := d.get(ctx, id)
			for err == nil && rec.Earlier != "" && !used[rec.Earlier] {
				used[rec.Earlier] = true
				rec, err = d.get(ctx, rec.Earlier)
			}
			if err != nil && !d.leaveOut(ctx, id, err) {
				return nil, err
			}
		}
	}
	return used, nil
}

// pruneOne prunes an archived record, and returns its bytes; 0 where it is kept. The record
// is removed last: only it leads to its marks and files.
func (d *Desk) pruneOne(ctx context.Context, id string, dry bool) (size int64, err error) {
	if of, ok := d.store.(Entitled); ok {
		if err := of.MayAnswer(ctx, id); err != nil { // an agent's credential writes to the archive, and yet may not
			return 0, err
		}
	}
	doc := d.read(ctx, Key{KindArchive, id})[0]
	if doc.Err != nil || doc.Data == nil {
		if d.leaveOut(ctx, id, doc.Err) {
			doc.Err = nil
		}
		return 0, doc.Err
	}
	rec, err := decodeRecord(id, doc.Data)
	if err != nil {
		d.leaveOut(ctx, id, d.damaged(KindArchive, id, err))
		return 0, nil
	}
	size = int64(len(doc.Data))
	for _, f := range rec.files() {
		size += f.Size
	}
	if dry {
		return size, nil
	}
	err = d.removeMarks(ctx, &rec)
	if err == nil {
		err = d.dropFiles(ctx, id, nil)
	}
	if err == nil {
		err = d.store.Delete(ctx, KindArchive, id)
	}
	if err != nil {
		return 0, fmt.Errorf("prune %s: %w", id, err)
	}
	return size, nil
}

// removeMarks takes an archived record out of the indexes.
func (d *Desk) removeMarks(ctx context.Context, rec *Record) error {
	err := d.unmark(ctx, rec)
	for _, name := range rec.memories(rec.All()) { // to find out which are memorable takes longer
		err = errors.Join(err, d.store.Unmark(ctx, MarkAnswered, name, rec.ID))
	}
	later, wrong := d.store.Marks(ctx, MarkReopened, rec.ID)
	for _, id := range later {
		err = errors.Join(err, d.store.Unmark(ctx, MarkReopened, rec.ID, id))
	}
	return errors.Join(err, wrong)
}

// retention prunes a store by itself.
type retention struct {
	mu   sync.Mutex
	desk *Desk         // over the store that is pruned
	keep time.Duration // for how long; 0 is for ever
	next time.Time     // not before
}

// pruneEvery is how often a store is pruned by itself, by one process; pruneSome is how
// many questions at once, as an archiving process may be about to end.
const (
	pruneEvery = 24 * time.Hour
	pruneSome  = 500
)

// pruneDaily prunes what the settings do not keep, once a day.
func (d *Desk) pruneDaily(ctx context.Context) {
	h := &d.retention
	if h.keep <= 0 || !h.mu.TryLock() {
		return
	}
	defer h.mu.Unlock()
	now := d.now()
	if now.Before(h.next) {
		return
	}
	if err := h.prune(ctx, now); err != nil {
		h.next = now.Add(minHistory)
		d.log.WarnContext(ctx, "pruning the history", "error", err)
	}
}

// prune prunes some, unless all was pruned within a day: the mark has the time of that.
func (h *retention) prune(ctx context.Context, now time.Time) error {
	const name = "history"
	done, err := h.desk.store.Marks(ctx, MarkPruned, name)
	if err != nil {
		return err
	}
	for _, id := range done {
		if at := ulid.MustParseStrict(id).Timestamp(); at.Add(pruneEvery).After(now) && !at.After(now) {
			h.next = at.Add(pruneEvery)
			return nil
		}
	}
	months, more, err := h.desk.prune(ctx, now.Add(-h.keep), false, pruneSome)
	for _, m := range months {
		h.desk.log.InfoContext(ctx, "pruned the history", "month", m.Name, "questions", m.Questions, "bytes", m.Bytes)
	}
	if err != nil || more {
		return err
	}
	id, _ := h.desk.nextID()
	err = h.desk.store.Mark(ctx, MarkPruned, name, id)
	for _, old := range done {
		err = errors.Join(err, h.desk.store.Unmark(ctx, MarkPruned, name, old))
	}
	h.next = now.Add(pruneEvery)
	return err
}
