package both

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"mcp-askuser/desk/store"
)

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, id string) (store.Row, error) {
	row, err := s.near.Get(ctx, id)
	if !errors.Is(err, store.ErrNotFound) {
		return s.numbered(near, row), err
	}
	row, err = s.far.Get(ctx, id)
	if err != nil {
		return row, err
	}
	rows := []store.Row{s.numbered(far, row)}
	err = s.addDrafts(ctx, rows)
	return rows[0], err
}

// Rows implements [store.Store]. Where the shared desk fails, its error follows the rows of
// this machine.
func (s *Store) Rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		rows, err := s.rows(ctx, q)
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if err != nil {
			yield(store.Row{}, err)
		}
	}
}

// rows returns what a query selects. A store that answers covers what was met before it was
// read, and what it returns; one that fails, no more than the caller had seen.
func (s *Store) rows(ctx context.Context, q store.Query) ([]store.Row, error) {
	after, covered := s.path.at(q.After), s.path.head()
	here, err := collect(s.near.Rows(ctx, changed(q, after[near])))
	if err != nil {
		return nil, err
	}
	covered[near] = max(covered[near], last(here))

	there, err := s.farRows(ctx, changed(q, after[far]))
	covered[far] = max(covered[far], last(there))
	if err != nil {
		covered[far] = after[far]
	}

	most := s.path.cover(covered)
	for i, row := range here {
		here[i].Revision = min(s.path.number(near, row.Revision), most)
	}
	for i, row := range there {
		there[i].Revision = min(s.path.number(far, row.Revision), most)
	}
	return merge(here, there, q), err
}

// changed is a query for what changed after a revision of one store.
func changed(q store.Query, after int64) store.Query {
	if q.After > 0 && after == 0 {
		q.Limit = 0 // a store would limit the last asked, not the first changed
	}
	q.After = after
	return q
}

// last returns the greatest revision.
func last(rows []store.Row) (revision int64) {
	for _, row := range rows {
		revision = max(revision, row.Revision)
	}
	return revision
}

// merge returns the rows of both stores in the order of a query, and no more than it allows.
func merge(here, there []store.Row, q store.Query) []store.Row {
	rows := append(here, there...) //nolint:gocritic // here is not used again
	slices.SortStableFunc(rows, func(a, b store.Row) int {
		if q.After > 0 {
			return cmp.Compare(a.Revision, b.Revision)
		}
		return cmp.Compare(b.ID, a.ID)
	})
	if q.Limit > 0 && len(rows) > q.Limit {
		rows = rows[:q.Limit]
	}
	if q.Ascend && q.After <= 0 {
		slices.Reverse(rows)
	}
	return rows
}

// collect returns rows, and those before an error with it.
func collect(all iter.Seq2[store.Row, error]) (rows []store.Row, err error) {
	for row, err := range all {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// farRows returns rows of the shared desk without those that this machine has too, and as
// many as the limit allows all the same.
func (s *Store) farRows(ctx context.Context, q store.Query) ([]store.Row, error) {
	for limit := q.Limit; ; {
		read, failed := collect(s.far.Rows(ctx, q))
		ids := make([]string, len(read))
		for i, row := range read {
			ids[i] = row.ID
		}
		known, err := s.near.Known(ctx, ids)
		if err != nil {
			return nil, err
		}
		rows := slices.DeleteFunc(slices.Clone(read), func(row store.Row) bool { return known[row.ID] })
		if failed != nil || len(rows) >= limit || len(read) < q.Limit {
			return rows, cmp.Or(failed, s.addDrafts(ctx, rows))
		}
		q.Limit = limit + len(read) - len(rows)
	}
}

// addDrafts shows the drafts that this machine keeps for rows of the shared desk, and
// removes those of rows that have ended.
func (s *Store) addDrafts(ctx context.Context, rows []store.Row) error {
	drafts, err := s.near.KeptDrafts(ctx)
	if err != nil {
		return err
	}
	for i, row := range rows {
		draft, kept := drafts[row.ID]
		if kept && row.Outcome == nil {
			rows[i].Notes[store.Draft] = draft
		}
		if kept && row.Outcome != nil {
			_ = s.near.DropDraft(ctx, row.ID) // else the next reader does it
		}
	}
	return nil
}
