package both

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"mcp-askuser/desk/store"
)

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, id string) (row store.Row, err error) {
	err = s.atHome(ctx, id, func(ctx context.Context, home store.Store) error {
		row, err = home.Get(ctx, id)
		return err
	})
	if err != nil {
		return row, err
	}
	rows := []store.Row{row}
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

// rows returns what a query selects. What goes back to a row is at the home of that.
func (s *Store) rows(ctx context.Context, q store.Query) ([]store.Row, error) {
	here, err := store.Collect(s.near.Rows(ctx, q))
	if err != nil {
		return nil, err
	}
	if q.Earlier != "" {
		home, err := s.home(ctx, q.Earlier)
		if err != nil || home != s.far {
			return here, err
		}
	}
	there, err := s.farRows(ctx, q)
	return merge(here, there, q), err
}

// merge returns the rows of both stores in the order of a query, and no more than it allows.
func merge(here, there []store.Row, q store.Query) []store.Row {
	rows := slices.Concat(here, there)
	if q.After != (store.Revision{}) {
		return rows
	}
	slices.SortStableFunc(rows, func(a, b store.Row) int { return cmp.Compare(b.ID, a.ID) })
	if q.Limit > 0 && len(rows) > q.Limit {
		rows = rows[:q.Limit]
	}
	if q.Ascend {
		slices.Reverse(rows)
	}
	return rows
}

// farRows returns rows of the shared desk without those that this machine has too.
func (s *Store) farRows(ctx context.Context, q store.Query) (rows []store.Row, err error) {
	limit := s.patience
	if q.Ended || q.After.Far > 0 { // which may be much, that takes its time on a desk that answers
		_, err = s.Revision(ctx)
		if err != nil {
			return nil, err
		}
		limit = 0
	}
	failed := s.reach(ctx, limit, func(ctx context.Context) (err error) {
		rows, err = store.Collect(s.far.Rows(ctx, q))
		return err
	})
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	if len(ids) == 0 {
		return nil, failed
	}
	here, err := store.Collect(s.near.Rows(ctx, store.Query{IDs: ids}))
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(row store.Row) bool {
		return slices.ContainsFunc(here, func(own store.Row) bool { return own.ID == row.ID })
	})
	return rows, cmp.Or(failed, s.addDrafts(ctx, rows))
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
