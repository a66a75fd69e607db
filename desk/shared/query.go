package shared

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk/store"
)

// Rows implements [store.Store].
func (s *Store) Rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		var found []*record
		err := s.repeat(ctx, func(ctx context.Context) (err error) {
			found, err = s.query(ctx, q)
			if err == nil {
				err = s.setAttended(ctx, found...)
			}
			return err
		})
		if err != nil {
			yield(store.Row{}, err)
			return
		}
		for _, r := range found {
			if !yield(r.Row, nil) {
				return
			}
		}
	}
}

// query returns the rows of a query, in its order.
func (s *Store) query(ctx context.Context, q store.Query) ([]*record, error) {
	_, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	ids, read, err := s.candidates(ctx, q)
	if err != nil {
		return nil, err
	}
	first := len(ids)
	if q.Limit > 0 && q.After.Far == 0 {
		first = min(first, 2*q.Limit) // they may be enough: not all that was ever asked is read
	}
	found, err := s.matching(ctx, ids[:first], q)
	if err == nil && first < len(ids) && len(found) < q.Limit {
		var others []*record
		others, err = s.matching(ctx, ids[first:], q)
		found = append(found, others...)
	}
	if err == nil && q.Earlier != "" {
		found, err = s.reopening(ctx, q.Earlier, found)
	}
	if err != nil {
		return nil, err
	}
	if q.After.Far > 0 {
		for _, r := range found { // which may have changed since: other rows before them, too
			r.Revision.Far = min(r.Revision.Far, read)
		}
		slices.SortFunc(found, func(a, b *record) int { return cmp.Compare(a.Revision.Far, b.Revision.Far) })
	}
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit]
	}
	if q.Ascend && q.After.Far == 0 {
		slices.Reverse(found)
	}
	return found, nil
}

// matching returns those of some rows that a query selects.
func (s *Store) matching(ctx context.Context, ids []string, q store.Query) ([]*record, error) {
	found, err := s.readAll(ctx, ids)
	return slices.DeleteFunc(found, func(r *record) bool { return !r.matches(q) }), err
}

// candidates returns the ids of the rows that a query may select, by their subjects, the last
// first, and up to which revision it has read what has changed.
func (s *Store) candidates(ctx context.Context, q store.Query) (ids []string, read int64, err error) {
	me := s.identity()
	own := (q.Session != "" || q.Run != "") && !me.Human // another's could have this agent's next question refused
	rows := map[string]bool{}                            // by owner and id
	add := func(subject string) {
		d, ok := parse(subject)
		ok = ok && !(q.Open && len(d.rest) > 2 && d.rest[2] == noted) && !madeBefore(d.id, q.Since)
		if ok && strings.HasPrefix(d.id, q.Prefix) && (!own || mayJoin(d.owner, me.writer())) {
			rows[d.owner+"."+d.id] = true
		}
	}
	hash := func(text string) string {
		if text == "" {
			return ".*"
		}
		return "." + short(text)
	}
	if q.After.Far > 0 {
		err = s.changed(ctx, uint64(q.After.Far), func(m *message) {
			read = max(read, int64(m.Seq))
			add(m.Subject)
		})
	} else {
		asked := rowsRoot + "*.*.q" + hash(q.Session) + hash(q.Run) + hash(q.Content) + hash(q.Earlier)
		err = s.subjects(ctx, asked, add)
	}
	if err == nil && q.Open {
		err = s.subjects(ctx, rowsRoot+"*.*.a.*", func(subject string) {
			d, _ := parse(subject)
			delete(rows, d.owner+"."+d.id)
		})
	}
	for row := range rows {
		_, id, _ := strings.Cut(row, ".")
		ids = append(ids, id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	return ids, read, err
}

// madeBefore reports whether an id, and so its row, was made before a time: not all that was ever asked
// is read for what was asked lately.
func madeBefore(id string, at time.Time) bool {
	made, err := ulid.ParseStrict(id)
	return err == nil && !at.IsZero() && ulid.Time(made.Time()).Before(at.Truncate(time.Millisecond))
}

// reopening returns those of some rows that may go back to an earlier one: those of its asker,
// and of humans. An agent could have its own question answered for that of another.
func (s *Store) reopening(ctx context.Context, earlier string, rows []*record) ([]*record, error) {
	if len(rows) == 0 {
		return rows, nil
	}
	first, err := s.read(ctx, earlier)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(r *record) bool { return !mayJoin(r.Owner, first.Owner) }), nil
}

// mayJoin reports whether a row of an owner belongs to those of another: it is the same, or a human.
func mayJoin(owner, other string) bool {
	return owner == other || owner == nameless || strings.HasPrefix(owner, humanPrefix)
}

// matches reports whether a query selects a row.
func (r *record) matches(q store.Query) bool {
	equal := func(want, is string) bool { return want == "" || want == is }
	in := func(text string) bool { return strings.Contains(r.Text, text) }
	return (!q.Open || r.Outcome == nil) && (!q.Ended || r.Outcome != nil) &&
		equal(q.Session, r.Session) && equal(q.Run, r.Run) && equal(q.Project, r.Project) && equal(q.Earlier, r.Earlier) &&
		equal(q.Content, r.Content) &&
		strings.HasPrefix(r.ID, q.Prefix) && (q.Search == nil || slices.ContainsFunc(q.Search, in)) &&
		(q.Since.IsZero() || !r.At.Before(q.Since)) && (q.Before.IsZero() || r.At.Before(q.Before)) &&
		!latest(r.noted, r.At).Before(q.Touched) &&
		(q.IDs == nil || slices.Contains(q.IDs, r.ID)) && (q.Kept.IsZero() || !r.Delivered && r.kept(q.Kept)) &&
		r.Revision.Far > q.After.Far
}
