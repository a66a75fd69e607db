package local

import (
	"context"
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"

	"mcp-askuser/desk/store"
)

// Ask implements [store.Store].
func (s *Store) Ask(ctx context.Context, row store.Row) (got store.Row, err error) {
	_, err = s.database(ctx, true)
	if err != nil {
		return row, err
	}
	self, err := s.process()
	if err != nil {
		return row, err
	}
	err = s.write(ctx, row.ID, func(t *tx) error {
		got, err = s.same(t, row)
		if err != nil {
			return err
		}
		if got.ID != "" {
			got.Attended = true
			return t.set(got.ID, `holder=?`, self)
		}
		got = row
		ended, holder := row.Outcome != nil, self
		if ended {
			holder = ""
		}
		got.Attended, got.Delivered, got.Notes = !ended, ended, [store.Notes][]byte{}
		got.Revision.Own, err = t.revision()
		if err != nil {
			return err
		}
		at := row.At.UnixMilli()
		const values = ` values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,null,null,null,null,?)`
		_, err = t.ExecContext(ctx, `insert into record(`+columns+`, touched)`+values,
			row.ID, row.Session, row.Run, row.Project, row.Earlier, row.Content, row.Text, at, row.Keep.Milliseconds(),
			row.Asked, row.Outcome, holder, ended, got.Revision.Own, at)
		if errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) {
			return store.ErrReopened
		}
		return err
	})
	return got, err
}

// same returns the row to take over for one that is asked; a zero one where there is none.
func (s *Store) same(t *tx, row store.Row) (store.Row, error) {
	if row.Content == "" || row.Outcome != nil || row.Earlier != "" {
		return store.Row{}, nil
	}
	for one, err := range s.selected(t.ctx, t, store.Query{Content: row.Content, Kept: row.At, Ascend: true}) {
		if err != nil || !one.Attended {
			return one, err
		}
	}
	return store.Row{}, nil
}

// Attend implements [store.Store].
func (s *Store) Attend(ctx context.Context, id string) (row store.Row, err error) {
	self, err := s.process()
	if err != nil {
		return row, err
	}
	err = s.change(ctx, id, func(t *tx, got store.Row, holder string) error {
		if s.alive(holder) {
			return store.ErrAttended
		}
		row = got
		row.Attended = true
		return t.set(id, `holder=?`, self)
	})
	return row, err
}

// Release implements [store.Store]. The calls that wait on are woken, and watch now.
func (s *Store) Release(ctx context.Context, id string) error {
	return s.change(ctx, id, func(t *tx, _ store.Row, holder string) error {
		if holder == "" || holder != s.ownName() {
			return nil
		}
		return t.set(id, `holder=''`)
	})
}

// Answer implements [store.Store].
func (s *Store) Answer(ctx context.Context, id string, end store.Ending) error {
	return s.change(ctx, id, func(t *tx, row store.Row, holder string) error {
		if row.Outcome != nil {
			return store.ErrAnswered
		}
		t.holder = holder
		return t.set(id, `outcome=?, text=?, touched=?`, end.Outcome, end.Text, time.Now().UnixMilli())
	})
}

// Delivered implements [store.Store].
func (s *Store) Delivered(ctx context.Context, id string) error {
	return s.change(ctx, id, func(t *tx, _ store.Row, _ string) error { return t.set(id, `delivered=1, holder=''`) })
}

// Note implements [store.Store].
func (s *Store) Note(ctx context.Context, id string, note store.Note, change func(old []byte) ([]byte, error)) error {
	return s.change(ctx, id, func(t *tx, row store.Row, _ string) error {
		if row.Outcome != nil && (note == store.Draft || note == store.Shown) {
			return store.ErrAnswered
		}
		value, err := change(row.Notes[note])
		if err != nil {
			return err
		}
		if note == store.Draft {
			return t.set(id, `draft=?, touched=?`, value, time.Now().UnixMilli())
		}
		return t.set(id, note.String()+`=?`, value)
	})
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, id string) (store.Row, error) {
	row, holder, err := s.read(ctx, id)
	row.Attended = s.alive(holder)
	return row, err
}

// read returns a row and the process that is to wait for it.
func (s *Store) read(ctx context.Context, id string) (store.Row, string, error) {
	db, err := s.database(ctx, false)
	if err != nil {
		return store.Row{}, "", err
	}
	row, holder, err := scan(db.QueryRowContext(ctx, `select `+columns+` from record where id=?`, id))
	return row, holder, s.explain(ctx, err)
}
