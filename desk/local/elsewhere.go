package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"mcp-askuser/desk/store"
)

// What this machine knows of rows that another store keeps: drafts that could not be sent
// there, and which rows it keeps itself.

// draftsFor is how long an unsent draft is kept after its last change.
const draftsFor = 30 * 24 * time.Hour

// KeepDraft changes the draft of a row that is kept elsewhere, in one step. The function
// receives nil where none is kept; its error ends the call.
func (s *Store) KeepDraft(ctx context.Context, id string, change func(old []byte) ([]byte, error)) error {
	_, err := s.database(ctx, true)
	if err != nil {
		return err
	}
	return s.write(ctx, id, func(t *tx) error {
		var old []byte
		err := t.QueryRowContext(ctx, `select data from draft where id=?`, id).Scan(&old)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		value, err := change(old)
		if err != nil {
			return err
		}
		_, err = t.ExecContext(ctx, `insert or replace into draft values(?,?,?)`, id, time.Now().UnixMilli(), value)
		return err
	})
}

// KeptDrafts returns all drafts that KeepDraft keeps, by row. One that was cleared is nil.
func (s *Store) KeptDrafts(ctx context.Context) (map[string][]byte, error) {
	db, err := s.database(ctx, false)
	if errors.Is(err, errNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `select id, data from draft`)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	drafts := map[string][]byte{}
	for rows.Next() {
		id, data := "", []byte(nil)
		err = rows.Scan(&id, &data)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		drafts[id] = data
	}
	return drafts, s.explain(ctx, rows.Err())
}

// DropDraft removes what KeepDraft keeps for a row.
func (s *Store) DropDraft(ctx context.Context, id string) error {
	db, err := s.database(ctx, false)
	if errors.Is(err, errNone) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `delete from draft where id=?`, id)
	return s.explain(ctx, err)
}

// Known returns which of the given rows this store keeps.
func (s *Store) Known(ctx context.Context, ids []string) (map[string]bool, error) {
	db, err := s.database(ctx, false)
	if errors.Is(err, errNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `select id from record where id in (select value from json_each(?))`, string(list))
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	known := map[string]bool{}
	for rows.Next() {
		id := ""
		err = rows.Scan(&id)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		known[id] = true
	}
	return known, s.explain(ctx, rows.Err())
}

// TakeOver is Ask that stores nothing: the error is ErrNotFound where no row is taken over.
func (s *Store) TakeOver(ctx context.Context, row store.Row) (got store.Row, err error) {
	db, err := s.database(ctx, false)
	if err != nil {
		return row, err
	}
	same := 0
	const count = `select count(*) from record where content=? and not delivered`
	err = db.QueryRowContext(ctx, count, row.Content).Scan(&same)
	if err != nil {
		return row, s.explain(ctx, err)
	}
	if row.Content == "" || same == 0 { // most often; nothing is written, and no other process waits
		return row, store.ErrNotFound
	}
	self, err := s.process()
	if err != nil {
		return row, err
	}
	err = s.write(ctx, row.ID, func(t *tx) error {
		got, err = s.takeOver(t, row, self)
		return err
	})
	return got, err
}

// takeOver makes a process the holder of the row that one to be asked is the same as.
func (s *Store) takeOver(t *tx, row store.Row, holder string) (store.Row, error) {
	got, err := s.same(t, row)
	if err == nil && got.ID == "" {
		err = store.ErrNotFound
	}
	if err != nil {
		return got, err
	}
	got.Attended = true
	_, err = t.change(got.ID, `, holder=?`, `true`, holder)
	return got, err
}
