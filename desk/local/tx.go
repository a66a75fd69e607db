package local

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcp-askuser/desk/store"
)

const columns = `id, session, run, project, earlier, content, text, at, keep, asked, outcome, ` +
	`holder, delivered, revision, draft, shown, later, lifted`

// scan reads a row of columns. Callers find out whether its holder lives.
func scan(from interface{ Scan(dest ...any) error }) (row store.Row, holder string, err error) {
	var at, keep int64
	err = from.Scan(&row.ID, &row.Session, &row.Run, &row.Project, &row.Earlier, &row.Content, &row.Text, &at, &keep,
		&row.Asked, &row.Outcome, &holder, &row.Delivered, &row.Revision.Own,
		&row.Notes[store.Draft], &row.Notes[store.Shown], &row.Notes[store.Later], &row.Notes[store.Lifted])
	row.At, row.Keep = time.UnixMilli(at), time.Duration(keep)*time.Millisecond
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	return row, holder, err
}

// tx is a transaction that writes.
type tx struct {
	*sql.Tx
	ctx    context.Context
	holder string // to wake after the commit; empty for none
}

// write runs one transaction and, once it is on disk, wakes those that watch or wait for the row.
func (s *Store) write(ctx context.Context, id string, do func(*tx) error) error {
	db, err := s.database(ctx, false)
	if err != nil {
		return err
	}
	begun, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(ctx, err)
	}
	t := &tx{Tx: begun, ctx: ctx}
	err = do(t)
	if err == nil {
		err = t.Commit()
	}
	if err != nil {
		_ = t.Rollback()
		return s.explain(ctx, err)
	}
	s.post(t.holder, id)
	return nil
}

// change runs one transaction on a row that exists, and the process that is to wait for it.
func (s *Store) change(ctx context.Context, id string, do func(t *tx, row store.Row, holder string) error) error {
	return s.write(ctx, id, func(t *tx) error {
		row, holder, err := scan(t.QueryRowContext(ctx, `select `+columns+` from record where id=?`, id))
		if err != nil {
			return err
		}
		return do(t, row, holder)
	})
}

// set updates a row, with a new revision.
func (t *tx) set(id, values string, args ...any) error {
	revision, err := t.revision()
	if err == nil {
		args = append(args, revision, id)
		_, err = t.ExecContext(t.ctx, `update record set `+values+`, revision=? where id=?`, args...)
	}
	return err
}

func (t *tx) revision() (n int64, err error) {
	err = t.QueryRowContext(t.ctx, `update counter set revision=revision+1 returning revision`).Scan(&n)
	return n, err
}
