// Package desktest opens desks for tests, on real stores, which can be made to fail.
package desktest

import (
	"bytes"
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// Store opens the store in a directory until the test ends.
func Store(t testing.TB, dir string) *local.Store {
	t.Helper()
	s := local.Open(dir)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Open opens a desk on the store in a directory, until the test ends.
func Open(t testing.TB, dir string, o ...desk.Options) *desk.Desk {
	t.Helper()
	if len(o) == 0 {
		o = []desk.Options{{}}
	}
	return desk.New(Store(t, dir), o[0])
}

func open(t testing.TB, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, local.File)+"?_pragma=busy_timeout(10000)")
	fatal.If(t, err)
	return db
}

// Exec executes a statement on the database in a directory.
func Exec(t testing.TB, dir, statement string, args ...any) {
	t.Helper()
	db := open(t, dir)
	defer func() { _ = db.Close() }()
	_, err := db.Exec(statement, args...)
	fatal.If(t, err)
}

// Columns of a record in a store, for [Overwrite].
const (
	Asked   = "asked"
	Outcome = "outcome"
)

// Overwrite changes a column of a record in the store of a directory, as a hostile program
// would.
func Overwrite(t testing.TB, dir, id, column string, change func([]byte) []byte) {
	t.Helper()
	db := open(t, dir)
	defer func() { _ = db.Close() }()
	var data []byte
	fatal.If(t, db.QueryRow(`select `+column+` from record where id=?`, id).Scan(&data))
	_, err := db.Exec(`update record set `+column+`=? where id=?`, change(data), id)
	fatal.If(t, err)
}

// Rewrite replaces a text in what a record asks, as a hostile program would.
func Rewrite(t testing.TB, dir, id, from, to string) {
	t.Helper()
	Overwrite(t, dir, id, Asked, func(data []byte) []byte {
		changed := bytes.ReplaceAll(data, []byte(from), []byte(to))
		if bytes.Equal(changed, data) {
			t.Fatalf("%q is not in %s", from, data)
		}
		return changed
	})
}

// Ask asks a question for which no asker waits, and which did not exist before, also where
// another with its content is open.
func Ask(ctx context.Context, d *desk.Desk, set question.Set, session string, by desk.Asker) (desk.Record, error) {
	for {
		before, err := known(ctx, d)
		if err != nil {
			return desk.Record{}, err
		}
		rec, attendance, err := d.Submit(ctx, desk.Request{Set: set, Session: session, Asker: by})
		defer attendance.Release() // the others not before another was asked
		if err != nil || !before[rec.ID] {
			rec.Attended = false
			return rec, err
		}
	}
}

// known returns the ids of all records of a desk.
func known(ctx context.Context, d *desk.Desk) (map[string]bool, error) {
	ids := map[string]bool{}
	open, err := d.Pending(ctx)
	for _, rec := range open {
		ids[rec.ID] = true
	}
	if err != nil {
		return nil, err
	}
	for rec, err := range d.History(ctx, desk.Query{}) {
		if err != nil {
			return nil, err
		}
		ids[rec.ID] = true
	}
	return ids, nil
}
