package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"strings"

	"mcp-askuser/desk/store"
)

// where returns the condition of a query, its arguments and its order.
func where(q store.Query) (condition string, args []any) {
	var all []string
	add := func(holds bool, part string, values ...any) {
		if holds {
			all, args = append(all, part), append(args, values...)
		}
	}
	add(q.Open, `outcome is null`)
	add(q.Ended, `outcome is not null`)
	add(q.Session != "", `session = ?`, q.Session)
	add(q.Run != "", `run = ?`, q.Run)
	add(q.Project != "", `project = ?`, q.Project)
	add(q.Earlier != "", `earlier = ? and earlier <> ''`, q.Earlier)
	add(q.Content != "", `content = ?`, q.Content)
	ids, _ := json.Marshal(q.IDs) // of texts it never fails
	add(q.IDs != nil, `id in (select value from json_each(?))`, string(ids))
	add(q.Prefix != "", `id >= ? and id < ?`, q.Prefix, q.Prefix+"~") // which comes after every letter
	var texts []any
	for _, text := range q.Search {
		texts = append(texts, text)
	}
	add(texts != nil, `(false`+strings.Repeat(` or instr(text, ?) > 0`, len(texts))+`)`, texts...)
	add(!q.Since.IsZero(), `at >= ?`, q.Since.UnixMilli())
	add(!q.Before.IsZero(), `at < ?`, q.Before.UnixMilli())
	add(!q.Touched.IsZero(), `touched >= ?`, q.Touched.UnixMilli())
	add(!q.Kept.IsZero(), `not delivered and touched+keep >= ?`, q.Kept.UnixMilli())
	add(q.After.Own > 0, `revision > ?`, q.After.Own)
	condition = ` order by id desc`
	switch {
	case q.After.Own > 0:
		condition = ` order by revision`
	case !q.Since.IsZero():
		condition = ` order by at desc, id desc` // by id alone, all older rows would be read
	}
	if len(all) > 0 {
		condition = ` where ` + strings.Join(all, ` and `) + condition
	}
	if q.Limit > 0 {
		condition, args = condition+` limit ?`, append(args, q.Limit)
	}
	return condition, args
}

// Rows implements [store.Store].
func (s *Store) Rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		db, err := s.existing(ctx)
		if err != nil {
			yield(store.Row{}, err)
		}
		if db == nil {
			return
		}
		for row, err := range s.selected(ctx, db, q) {
			if !yield(row, s.explain(ctx, err)) {
				return
			}
		}
	}
}

// selected yields the rows of a query in a database or a transaction.
func (s *Store) selected(ctx context.Context, in interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		condition, args := where(q)
		query := `select ` + columns + ` from record` + condition
		if q.Ascend { // the last of them, the first of those first
			query = `select * from (` + query + `) order by id`
		}
		rows, err := in.QueryContext(ctx, query, args...)
		if err != nil {
			yield(store.Row{}, err)
			return
		}
		defer func() { _ = rows.Close() }()
		living := map[string]bool{"": false} // by process: many rows have the same
		for rows.Next() {
			row, holder, err := scan(rows)
			_, known := living[holder]
			if !known {
				living[holder] = s.alive(holder)
			}
			row.Attended = living[holder]
			if !yield(row, err) || err != nil {
				return
			}
		}
		err = rows.Err()
		if err != nil {
			yield(store.Row{}, err)
		}
	}
}
