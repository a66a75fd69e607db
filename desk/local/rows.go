package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"mcp-askuser/desk/store"
)

const columns = `id, session, run, project, earlier, content, text, at, keep, asked, outcome, ` +
	`holder, delivered, revision, draft, shown, later, lifted`

// noteColumn is the column of a note.
func noteColumn(note store.Note) string {
	return [store.Notes]string{"draft", "shown", "later", "lifted"}[note]
}

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
	ctx  context.Context
	wake []string // the processes to wake after the commit
}

// write runs one transaction, and wakes the listeners, and the holder of the row, once it is
// on disk.
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
		err = t.listeners()
	}
	if err == nil {
		err = t.Commit()
	}
	if err != nil {
		_ = t.Rollback()
		return s.explainWrite(ctx, err)
	}
	for _, process := range t.wake {
		s.post(process, id)
	}
	return nil
}

// explainWrite is explain for all but the errors that a store is asked for.
func (s *Store) explainWrite(ctx context.Context, err error) error {
	asked := []error{store.ErrNotFound, store.ErrAnswered, store.ErrAttended, store.ErrReopened, store.ErrTooMany}
	if slices.ContainsFunc(asked, func(known error) bool { return errors.Is(err, known) }) {
		return err
	}
	return s.explain(ctx, err)
}

// listeners adds the processes that watch.
func (t *tx) listeners() error {
	rows, err := t.QueryContext(t.ctx, `select distinct process from listener`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		process := ""
		err = rows.Scan(&process)
		if err != nil {
			return err
		}
		if !slices.Contains(t.wake, process) {
			t.wake = append(t.wake, process)
		}
	}
	return rows.Err()
}

// change updates one row, with a new revision, and reports whether the condition held.
func (t *tx) change(id, set, condition string, args ...any) (bool, error) {
	revision, err := t.revision()
	if err != nil {
		return false, err
	}
	args = append([]any{revision}, args...)
	done, err := t.ExecContext(t.ctx, `update record set revision=?`+set+` where id=? and `+condition, append(args, id)...)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 1, err
}

func (t *tx) revision() (n int64, err error) {
	err = t.QueryRowContext(t.ctx, `update counter set revision=revision+1 returning revision`).Scan(&n)
	return n, err
}

// get returns a row and the process that is to wait for it.
func (t *tx) get(id string) (store.Row, string, error) {
	return scan(t.QueryRowContext(t.ctx, `select `+columns+` from record where id=?`, id))
}

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
func (s *Store) same(t *tx, row store.Row) (got store.Row, err error) {
	if row.Content == "" || row.Outcome != nil {
		return got, nil
	}
	condition, args := where(store.Query{Content: row.Content, Kept: row.At, Ascend: true})
	rows, err := t.QueryContext(t.ctx, `select `+columns+` from record`+condition, args...)
	if err != nil {
		return got, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		one, holder, err := scan(rows)
		if err != nil {
			return got, err
		}
		if !s.alive(holder) {
			return one, nil
		}
	}
	return got, rows.Err()
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
	err := s.write(ctx, id, func(t *tx) error {
		_, err := t.change(id, `, holder=''`, `holder='`+self+`'`)
		return err
	})
	s.woken(id) // calls that wait on must listen now
	return err
}

// Answer implements [store.Store].
func (s *Store) Answer(ctx context.Context, id string, end store.Ending) error {
	return s.write(ctx, id, func(t *tx) error {
		first, err := t.change(id, `, outcome=?, text=?, touched=?`, `outcome is null`, end.Outcome, end.Text, time.Now().UnixMilli())
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
		if holder != "" {
			t.wake = append(t.wake, holder)
		}
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
		set, args := `, `+noteColumn(note)+`=?`, []any{value}
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
	return row, holder, s.explainWrite(ctx, err)
}

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
	add(q.Earlier != "", `earlier = ?`, q.Earlier)
	add(q.Content != "", `content = ?`, q.Content)
	ids, _ := json.Marshal(q.IDs) // of texts it never fails
	add(q.IDs != nil, `id in (select value from json_each(?))`, string(ids))
	add(q.Prefix != "", `id >= ? and id < ?`, q.Prefix, q.Prefix+"~") // which comes after every letter
	add(q.Search != "", `instr(text, ?) > 0`, q.Search)
	add(!q.Since.IsZero(), `at >= ?`, q.Since.UnixMilli())
	add(!q.Before.IsZero(), `at < ?`, q.Before.UnixMilli())
	add(!q.Kept.IsZero(), `not delivered and touched+keep >= ?`, q.Kept.UnixMilli())
	add(!q.Expired.IsZero(), `outcome is null and touched+keep < ?`, q.Expired.UnixMilli())
	add(q.After.Own > 0, `revision > ?`, q.After.Own)
	condition = ` order by id desc`
	switch {
	case q.After.Own > 0:
		condition = ` order by revision`
	case q.Ascend && q.Limit == 0:
		condition = ` order by id`
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
		db, err := s.database(ctx, false)
		if errors.Is(err, errNone) {
			return
		}
		if err != nil {
			yield(store.Row{}, err)
			return
		}
		condition, args := where(q)
		query := `select ` + columns + ` from record` + condition
		if q.Ascend && q.Limit > 0 { // the last of them, the first of those first
			query = `select * from (` + query + `) order by id`
		}
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			yield(store.Row{}, s.explain(ctx, err))
			return
		}
		defer func() { _ = rows.Close() }()
		living := map[string]bool{}
		for rows.Next() {
			row, holder, err := scan(rows)
			if err != nil {
				yield(row, s.explain(ctx, err))
				return
			}
			attended, known := living[holder]
			if !known {
				attended = s.alive(holder)
				living[holder] = attended
			}
			row.Attended = attended
			if !yield(row, nil) {
				return
			}
		}
		err = rows.Err()
		if err != nil {
			yield(store.Row{}, s.explain(ctx, err))
		}
	}
}

// Prune implements [store.Store].
func (s *Store) Prune(ctx context.Context, before time.Time, dry bool) (months []store.Month, err error) {
	const ended = ` from record where at < ? and outcome is not null and (delivered or touched+keep < ?)
		and id not in (select earlier from record where outcome is null)`
	now := time.Now().UnixMilli()
	err = s.write(ctx, "", func(t *tx) error {
		rows, err := t.QueryContext(ctx, `select strftime('%Y-%m', at/1000, 'unixepoch'), count(*),
			sum(length(asked)+length(outcome)+
				(select coalesce(sum(length(data)), 0) from file where file.id=record.id))`+
			ended+` group by 1 order by 1`, before.UnixMilli(), now)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var m store.Month
			err = rows.Scan(&m.Name, &m.Rows, &m.Bytes)
			if err != nil {
				return err
			}
			months = append(months, m)
		}
		if rows.Err() != nil || dry {
			return rows.Err()
		}
		_, err = t.ExecContext(ctx, `delete`+ended, before.UnixMilli(), now)
		if err == nil {
			_, err = t.ExecContext(ctx, `delete from draft where at < ?`, now-draftsFor.Milliseconds())
		}
		return err
	})
	if errors.Is(err, errNone) {
		return nil, nil
	}
	return months, err
}

// PutFile implements [store.Store].
func (s *Store) PutFile(ctx context.Context, id, key string, data []byte, most int) error {
	return s.write(ctx, id, func(t *tx) error {
		_, _, err := t.get(id)
		if err != nil {
			return err
		}
		others := 0
		err = t.QueryRowContext(ctx, `select count(*) from file where id=? and key<>?`, id, key).Scan(&others)
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
