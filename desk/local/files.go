package local

import (
	"context"
	"database/sql"
	"errors"

	"mcp-askuser/desk/store"
)

// PutFile implements [store.Store].
func (s *Store) PutFile(ctx context.Context, id, key string, data []byte, most int) error {
	return s.change(ctx, id, func(t *tx, _ store.Row, _ string) error {
		others := 0
		err := t.QueryRowContext(ctx, `select count(*) from file where id=? and key<>?`, id, key).Scan(&others)
		if err != nil {
			return err
		}
		if others >= most {
			return store.ErrTooMany
		}
		content := append([]byte{}, data...) // nil would be null
		_, err = t.ExecContext(ctx, `insert or replace into file values(?,?,?)`, id, key, content)
		return err
	})
}

// File implements [store.Store].
func (s *Store) File(ctx context.Context, id, key string) (data []byte, err error) {
	db, err := s.database(ctx, false)
	if err != nil {
		return nil, err
	}
	err = db.QueryRowContext(ctx, `select data from file where id=? and key=?`, id, key).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, store.ErrNotFound
	}
	return data, s.explain(ctx, err)
}
