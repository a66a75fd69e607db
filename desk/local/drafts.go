package local

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Drafts of rows that another store keeps, which could not be sent there.

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
	db, err := s.existing(ctx)
	if db == nil {
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
	db, err := s.existing(ctx)
	if db == nil {
		return err
	}
	_, err = db.ExecContext(ctx, `delete from draft where id=?`, id)
	return s.explain(ctx, err)
}
