// Package desktest opens desks for tests, on real stores, which can be made to fail.
package desktest

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"iter"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/desk/store"
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
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// Exec executes a statement on the database in a directory.
func Exec(t testing.TB, dir, statement string, args ...any) {
	t.Helper()
	db := open(t, dir)
	defer func() { _ = db.Close() }()
	_, err := db.Exec(statement, args...)
	if err != nil {
		t.Fatal(err)
	}
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
	err := db.QueryRow(`select `+column+` from record where id=?`, id).Scan(&data)
	if err == nil {
		_, err = db.Exec(`update record set `+column+`=? where id=?`, change(data), id)
	}
	if err != nil {
		t.Fatal(err)
	}
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

// Faulty is a store that fails on command.
type Faulty struct {
	store.Store

	mu     sync.Mutex
	all    error
	calls  map[string]error
	before map[string]func()
	rows   int // how many rows a failing Rows yields first
	lost   map[string]bool
}

// Lose has a row be gone for those who read it.
func (s *Faulty) Lose(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = map[string]bool{}
	}
	s.lost[id] = true
}

func (s *Faulty) isLost(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost[id]
}

// Fail has every call fail, but for those that wait or end a wait, until it is called with
// nil.
func (s *Faulty) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = err
}

// FailAnswers has Answer fail, until it is called with nil.
func (s *Faulty) FailAnswers(err error) { s.FailCalls("Answer", err) }

// FailCalls has one method of [store.Store] fail, until it is called with nil.
func (s *Faulty) FailCalls(method string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[string]error{}
	}
	s.calls[method], s.rows = err, 0
}

// FailRows has Rows fail after so many rows, until FailCalls is called with nil for it.
func (s *Faulty) FailRows(after int, err error) {
	s.FailCalls("Rows", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = after
}

// Before calls a function once, before the next call of a method: what another process does
// in between.
func (s *Faulty) Before(method string, do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before == nil {
		s.before = map[string]func(){}
	}
	s.before[method] = do
}

// begin is what precedes a call: what happens in between, and the failure.
func (s *Faulty) begin(method string) error {
	s.mu.Lock()
	do := s.before[method]
	delete(s.before, method)
	s.mu.Unlock()
	if do != nil {
		do()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "Wait", "Changes", "Release": // as of Fail
		return s.calls[method]
	}
	return cmp.Or(s.calls[method], s.all)
}

// Ask implements [store.Store].
func (s *Faulty) Ask(ctx context.Context, row store.Row) (store.Row, error) {
	err := s.begin("Ask")
	if err != nil {
		return row, err
	}
	return s.Store.Ask(ctx, row)
}

// Attend implements [store.Store].
func (s *Faulty) Attend(ctx context.Context, id string) (store.Row, error) {
	err := s.begin("Attend")
	if err != nil {
		return store.Row{}, err
	}
	return s.Store.Attend(ctx, id)
}

// Release implements [store.Store].
func (s *Faulty) Release(ctx context.Context, id string) error {
	err := s.begin("Release")
	if err != nil {
		return err
	}
	return s.Store.Release(ctx, id)
}

// Answer implements [store.Store].
func (s *Faulty) Answer(ctx context.Context, id string, end store.Ending) error {
	err := s.begin("Answer")
	if err != nil {
		return err
	}
	return s.Store.Answer(ctx, id, end)
}

// Delivered implements [store.Store].
func (s *Faulty) Delivered(ctx context.Context, id string) error {
	err := s.begin("Delivered")
	if err != nil {
		return err
	}
	return s.Store.Delivered(ctx, id)
}

// Note implements [store.Store].
func (s *Faulty) Note(ctx context.Context, id string, note store.Note, change func([]byte) ([]byte, error)) error {
	err := s.begin("Note")
	if err != nil {
		return err
	}
	return s.Store.Note(ctx, id, note, change)
}

// Get implements [store.Store].
func (s *Faulty) Get(ctx context.Context, id string) (store.Row, error) {
	err := s.begin("Get")
	if err == nil && s.isLost(id) {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Row{}, err
	}
	return s.Store.Get(ctx, id)
}

// Rows implements [store.Store].
func (s *Faulty) Rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		err := s.begin("Rows")
		s.mu.Lock()
		left := s.rows
		s.mu.Unlock()
		if err != nil && left == 0 {
			yield(store.Row{}, err)
			return
		}
		for row, failed := range s.Store.Rows(ctx, q) {
			if err != nil && left == 0 {
				yield(store.Row{}, err)
				return
			}
			left--
			if !s.isLost(row.ID) && !yield(row, failed) {
				return
			}
		}
	}
}

// Wait implements [store.Store].
func (s *Faulty) Wait(ctx context.Context, id string) (store.Row, error) {
	err := s.begin("Wait")
	if err != nil {
		return store.Row{}, err
	}
	return s.Store.Wait(ctx, id)
}

// Revision implements [store.Store].
func (s *Faulty) Revision(ctx context.Context) (store.Revision, error) {
	err := s.begin("Revision")
	if err != nil {
		return store.Revision{}, err
	}
	return s.Store.Revision(ctx)
}

// Changes implements [store.Store].
func (s *Faulty) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	err := s.begin("Changes")
	if err != nil {
		return nil, err
	}
	return s.Store.Changes(ctx, name)
}

// Present implements [store.Store].
func (s *Faulty) Present(ctx context.Context) ([]string, error) {
	err := s.begin("Present")
	if err != nil {
		return nil, err
	}
	return s.Store.Present(ctx)
}

// PutFile implements [store.Store].
func (s *Faulty) PutFile(ctx context.Context, id, key string, data []byte, most int) error {
	err := s.begin("PutFile")
	if err != nil {
		return err
	}
	return s.Store.PutFile(ctx, id, key, data, most)
}

// File implements [store.Store].
func (s *Faulty) File(ctx context.Context, id, key string) ([]byte, error) {
	err := s.begin("File")
	if err != nil {
		return nil, err
	}
	return s.Store.File(ctx, id, key)
}

// Prune implements [store.Store].
func (s *Faulty) Prune(ctx context.Context, before time.Time, dry bool) ([]store.Month, error) {
	err := s.begin("Prune")
	if err != nil {
		return nil, err
	}
	return s.Store.Prune(ctx, before, dry)
}
