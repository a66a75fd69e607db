// Package local keeps the records of one user on this machine: rows in one SQLite database
// that all of the user's processes share, see [store.Store]. The database decides which
// outcome is first; the pipe of each process (pipe_unix.go) tells whether it lives, and wakes
// it alone. The package knows rows, and must not know what a question is. Nothing is opened
// before the first call, and the database is closed while nothing but waiting happens.
package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	random "math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"mcp-askuser/desk/store"
)

const (
	// File is the name of the database in the directory of the store.
	File = "desk.db"
	// idle is how long an unused connection stays open.
	idle = 2 * time.Second
)

// Store is a [store.Store] in a directory.
type Store struct {
	dir   string
	again time.Duration // lookAgain

	mu      sync.Mutex
	db      *sql.DB                  // nil until the first use
	info    os.FileInfo              // of the database that db has open
	pipe    *pipe                    // of this process; nil until it waits
	name    string                   // of this process; empty until then
	waiting map[chan struct{}]string // what each call waits for: a row, or any change where it is empty
	closed  bool
}

var _ store.Store = (*Store)(nil)

// Open returns the store in a directory, which it creates at the first question. It touches
// no file.
func Open(dir string) *Store {
	return &Store{dir: dir, again: lookAgain, waiting: map[chan struct{}]string{}}
}

// Close ends all waiting, as the death of the process would. Nothing is opened after it.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	for waiter := range s.waiting {
		store.Wake(waiter)
	}
	s.drop()
	db := s.db
	s.db = nil
	s.mu.Unlock()
	if db == nil {
		return nil
	}
	return db.Close()
}

func (s *Store) path() string { return filepath.Join(s.dir, File) }

// errNone means that no database exists, and none is to be made for a reader.
var errNone = fmt.Errorf("%w: nothing was asked yet", store.ErrNotFound)

// errClosed means that the process has closed the store.
var errClosed = errors.New("the store is closed")

// database returns the open database. The error is errNone where there is none, unless
// create is set. A database that was removed or replaced meanwhile is closed.
func (s *Store) database(ctx context.Context, create bool) (*sql.DB, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	info, err := os.Stat(s.path())
	if s.db != nil && err == nil && os.SameFile(info, s.info) {
		return s.db, nil
	}
	if s.db != nil {
		_ = s.db.Close()
		s.db = nil
	}
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil, errNone
	}
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	info, err = os.Stat(s.path())
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	s.db, s.info = db, info
	return db, nil
}

// existing returns the open database, nil where there is none.
func (s *Store) existing(ctx context.Context) (*sql.DB, error) {
	db, err := s.database(ctx, false)
	if errors.Is(err, errNone) {
		return nil, nil
	}
	return db, err
}

// open opens the database, which it makes where none exists. One that is refused stays as it is.
func (s *Store) open(ctx context.Context) (*sql.DB, error) {
	err := s.checkDir()
	if err == nil {
		err = s.check()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = s.setUp(ctx)
	}
	if err != nil {
		return nil, err
	}
	db, err := connect(s.path())
	if err != nil {
		return nil, err
	}
	mode := ""
	err = db.QueryRowContext(ctx, `pragma journal_mode = wal`).Scan(&mode) // a copy made as a backup may be without
	if err == nil && mode != "wal" {
		err = fmt.Errorf("%s: its file system takes no log: %s", s.path(), elsewhere)
	}
	if err != nil {
		_ = db.Close()
		return nil, s.explain(ctx, err)
	}
	return db, nil
}

// connect returns the database in a file that exists. Each connection commits to disk, not
// to the system's memory, and overwrites what it deletes. The files beside it are as private.
func connect(path string) (*sql.DB, error) {
	const settings = `pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on`
	name := escapePath(path)
	db, err := driver.Open("file:"+name+"?mode=rw&modeof="+name+"&_txlock=immediate", func(c *sqlite3.Conn) error {
		touch(path + "-shm") // which SQLite would make as the process's mask has it
		return errors.Join(c.BusyHandler(pause), c.Exec(settings), checkVersion(c, path))
	})
	if err == nil {
		db.SetConnMaxIdleTime(idle)
	}
	return db, err
}

// touch makes an empty file for this user alone where there is none. Where that fails, what
// opens it does.
func touch(path string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		_ = f.Close()
	}
}

// pause lets another process end its transaction, which SQLite reports to no other: half a minute in all.
// The driver's own pauses last a millisecond; many processes that look so often take the writer's processor.
func pause(ctx context.Context, before int) bool {
	time.Sleep(random.N(min(time.Duration(before+1), 20) * time.Millisecond))
	return ctx.Err() == nil && before < 3000
}

// checkDir creates the directory, or refuses one that others can use.
func (s *Store) checkDir() error {
	err := os.MkdirAll(s.dir, 0o700)
	if err != nil {
		return fmt.Errorf("create the store: %w: %s", err, elsewhere)
	}
	info, err := os.Stat(s.dir)
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	if !ownedByUser(info) {
		return fmt.Errorf("%s belongs to another user: %s", s.dir, elsewhere)
	}
	if openToOthers(info) {
		return fmt.Errorf("%s can be changed by other users of this machine: chmod 700 %s", s.dir, s.dir)
	}
	return nil
}

// setUp makes the database, one process at a time. Others find it whole: it gets its name last.
func (s *Store) setUp(ctx context.Context) error {
	lock := flock.New(filepath.Join(s.dir, "setup.lock"))
	locked, err := lock.TryLockContext(ctx, 5*time.Millisecond)
	if err != nil || !locked {
		return fmt.Errorf("set the store up: %w", err)
	}
	defer func() { _ = lock.Close() }()
	err = s.check()
	if !errors.Is(err, fs.ErrNotExist) { // another process has made it meanwhile
		return err
	}

	begun := s.path() + "-new"
	for _, left := range []string{begun, s.path() + "-wal", s.path() + "-shm", s.path() + "-journal"} {
		_ = os.Remove(left) // of a process that was killed, and of a database that was removed
	}
	touch(begun)
	db, err := connect(begun)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, schema)
	err = errors.Join(err, db.Close())
	if err == nil {
		err = os.Rename(begun, s.path())
	}
	if err != nil {
		return s.explain(ctx, err)
	}
	syncDir(s.dir)
	return nil
}

// syncDir has the names of files in a directory survive a power cut, where the system can do that.
func syncDir(path string) {
	dir, err := os.Open(path)
	if err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}

// elsewhere is what the user can do about a place that cannot be used.
const elsewhere = "name a directory on a disk of this machine in MCP_ASKUSER_DIR"

// explain adds to a failure of the database what the user can do about it; any other error stays.
// Where ctx has ended, its cause is the error.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	code := sqlite3.ErrorCode(0)
	if !errors.As(err, &code) {
		return err
	}
	if code == sqlite3.CORRUPT || code == sqlite3.NOTADB {
		return fmt.Errorf("%w: %s: %s: %w", store.ErrDamaged, s.path(), restore, err)
	}
	if code == sqlite3.BUSY {
		return fmt.Errorf("%s: another process has been writing for half a minute: is one stopped?: %w", s.path(), err)
	}
	return fmt.Errorf("%s: look after its permissions and the room on its disk, or %s: %w", s.path(), elsewhere, err)
}
