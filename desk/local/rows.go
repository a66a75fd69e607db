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
			_, err = t.change(got.ID, `, holder=?`, `true`, self)
			return err
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
	err = s.write(ctx, id, func(t *tx) error {
		var holder string
		row, holder, err = t.get(id)
		if err != nil {
			return err
		}
		if s.alive(holder) {
			return store.ErrAttended
		}
		row.Attended = true
		_, err = t.change(id, `, holder=?`, `true`, self)
		return err
	})
	return row, err
}

// Release implements [store.Store].
func (s *Store) Release(ctx context.Context, id string) error {
	self := s.ownName()
	if self == "" {
		return nil
	}
	return s.write(ctx, id, func(t *tx) error {
		_, err := t.change(id, `, holder=''`, `holder='`+self+`'`)
		return err // the calls that wait on are woken, and watch now
	})
}

// Answer implements [store.Store].
func (s *Store) Answer(ctx context.Context, id string, end store.Ending) error {
	return s.write(ctx, id, func(t *tx) error {
		first, err := t.change(id, `, outcome=?, text=?, touched=?`, `outcome is null`, end.Outcome, end.Text,
			time.Now().UnixMilli())
		if err != nil {
			return err
		}
		_, holder, err := t.get(id)
		if err != nil {
			return err
		}
		if !first {
			return store.ErrAnswered
		}
		t.holder = holder
		return nil
	})
}

// Delivered implements [store.Store].
func (s *Store) Delivered(ctx context.Context, id string) error {
	return s.write(ctx, id, func(t *tx) error {
		done, err := t.change(id, `, delivered=1, holder=''`, `true`)
		if err == nil && !done {
			err = store.ErrNotFound
		}
		return err
	})
}

// Note implements [store.Store].
func (s *Store) Note(ctx context.Context, id string, note store.Note, change func(old []byte) ([]byte, error)) error {
	return s.write(ctx, id, func(t *tx) error {
		row, _, err := t.get(id)
		if err != nil {
			return err
		}
		if row.Outcome != nil && (note == store.Draft || note == store.Shown) {
			return store.ErrAnswered
		}
		value, err := change(row.Notes[note])
		if err != nil {
			return err
		}
		set, args := `, `+note.String()+`=?`, []any{value}
		if note == store.Draft {
			set, args = set+`, touched=?`, append(args, time.Now().UnixMilli())
		}
		_, err = t.change(id, set, `true`, args...)
		return err
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
