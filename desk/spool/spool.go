// Package spool is the embedded store of the desk: a directory of small files
// that all of a user's processes share without a daemon.
//
//	pending/<id>.json           the set and its asker, written once
//	replies/<id>.json           the outcome: that the file exists is the decision
//	archive/YYYY-MM/<id>.json   both, once they are known
//	askers/<id>.lock            held by the process that waits: gone lock = detached
//	bells/<id>                  a named pipe, while there is a waiter (Linux)
//	drafts/<id>.json            what a human is typing
//	showing/<id>.json           where the record is shown
//	files/<id>/<digest>.png     a file of an answer; its ending is of its type
//	present/<name>-<n>.lock     held by an open inbox or web page
//	pending/<digest>.id         a link to an id: records that ask the same; those
//	                            beside the first are empty, pending/<digest>/<id>
//	answered/<digest>.id        likewise: the last answers to a question of a project
//	sessions/<digest>/<id>      empty: records of a session; lifted/ likewise
//	reopened/<id>/<id>          empty: records that go back to another
//	pruned/history/<id>         empty: its time is when the past was pruned
//	tmp/                        files being written
//	tokens/                     not the store's: who may ask over the network (server/tokens)
//
// A document is written to tmp, synced, and linked to its name, which one of
// several writers can do; then the directory is synced. Nothing is ever written
// in place, nothing depends on a file's time. Locks tell which processes are present; no
// document waits for one. The package imports desk, whose
// Store it is, and knows of records only their ids.
package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// ErrUnsafe means that a directory of the store is not the user's own, or that
// others could tamper with it.
var ErrUnsafe = errors.New("unsafe store")

// maxSize is the largest document, in bytes. No question comes near it; it
// keeps a foreign file from filling the memory.
const maxSize = 16 << 20

const (
	suffix  = ".json"
	tempDir = "tmp"
	bellDir = "bells"
)

// Spool is a desk.Store in a directory. It is safe for concurrent use by any
// number of goroutines and processes.
type Spool struct {
	dir          string
	durable      sync.Map // directories that survive a power failure; see syncNames
	swept        sync.Once
	sentry       sentry
	newWatcher   func() (*fsnotify.Watcher, error)
	pollInterval time.Duration // without file notification
}

var (
	_ desk.Store    = (*Spool)(nil)
	_ desk.Unmarker = (*Spool)(nil)
)

// Open returns the store in dir, an absolute path. It creates nothing: the
// directory is made, with mode 0700, by the first question or the first watch. One that
// exists and is not safe is refused with ErrUnsafe.
func Open(dir string) (*Spool, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the store %q (--dir or %s) must be an absolute path", dir, EnvDir)
	}
	dir = filepath.Clean(dir)
	if err := checkDir(dir, othersWrite); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &Spool{dir: dir, newWatcher: fsnotify.NewWatcher, pollInterval: time.Second}, nil
}

// Dir returns the directory of the store.
func (s *Spool) Dir() string { return s.dir }

// Path implements desk.Store.
func (s *Spool) Path(kind desk.Kind, id string) string {
	path, _ := s.path(context.Background(), kind, id) // empty for what is no id
	return path
}

// Get implements desk.Store.
func (s *Spool) Get(ctx context.Context, kind desk.Kind, id string) ([]byte, error) {
	path, err := s.path(ctx, kind, id)
	if err != nil {
		return nil, err
	}
	return readDocument(path)
}

// readDocument reads a file that no other program writes.
func readDocument(path string) ([]byte, error) {
	data, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, desk.ErrNotFound
	case slices.ContainsFunc(unreadable[:], func(e error) bool { return errors.Is(err, e) }):
		return nil, fmt.Errorf("%w: %w", desk.ErrUnreadable, advise(err))
	}
	return data, advise(err)
}

// unreadable are the errors of a store that does not become readable by itself.
var unreadable = [...]error{fs.ErrPermission, syscall.ENOTDIR, syscall.EIO, syscall.ESTALE, syscall.ENOTCONN, syscall.ENODEV}

// Delete implements desk.Store. A file that a power failure restores repeats the archive.
// Only a question restored without its outcome, which is deleted next, would be open again:
// that removal is synced.
func (s *Spool) Delete(ctx context.Context, kind desk.Kind, id string) error {
	path, err := s.path(ctx, kind, id)
	if err == nil {
		err = remove(path)
	}
	if err == nil && kind == desk.KindPending {
		s.removeBell(id)
		if err = syncDir(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return advise(err)
}

// remove removes a file, if it is there.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return advise(err)
	}
	return nil
}

// List implements desk.Store. Files that are not named like ours are ignored.
// The archive is read month by month.
func (s *Spool) List(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		dirs := []string{""}
		if kind == desk.KindArchive {
			months, err := names(filepath.Join(s.dir, string(kind)))
			if err != nil {
				yield("", err)
				return
			}
			dirs = in.Months(months)
		}
		for _, dir := range dirs {
			ids, err := s.listDir(ctx, filepath.Join(s.dir, string(kind), dir), in)
			if err != nil {
				yield("", err)
				return
			}
			for id := range newestFirst(ids) {
				if !yield(id.String(), nil) {
					return
				}
			}
		}
	}
}

// maxSorted is how many ids are sorted at once: the newest of a hundred thousand are
// found before all are sorted.
const maxSorted = 512

// newestFirst yields ids, the greatest first, and sorts none before it is reached.
// It changes the order of ids.
func newestFirst(ids []ulid.ULID) iter.Seq[ulid.ULID] {
	return func(yield func(ulid.ULID) bool) {
		for len(ids) > maxSorted {
			pivot := ids[rand.N(len(ids))]
			older := 0
			for i, id := range ids {
				if id.Compare(pivot) < 0 {
					ids[i], ids[older] = ids[older], id
					older++
				}
			}
			for id := range newestFirst(ids[older:]) {
				if !yield(id) {
					return
				}
			}
			ids = ids[:older]
		}
		slices.SortFunc(ids, ulid.ULID.Compare)
		for _, id := range slices.Backward(ids) {
			if !yield(id) {
				return
			}
		}
	}
}

// listDir returns the ids in a range that documents in one directory are named after,
// in no order.
func (s *Spool) listDir(ctx context.Context, dir string, in desk.Range) ([]ulid.ULID, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var ids []ulid.ULID
	err := eachName(dir, func(file string) {
		name, ok := strings.CutSuffix(file, suffix)
		if id, err := ulid.ParseStrict(name); ok && err == nil && in.Has(name) && strings.ToUpper(name) == name {
			if len(ids) == cap(ids) {
				ids = slices.Grow(ids, len(ids)+1) // append alone copies three times as much
			}
			ids = append(ids, id)
		}
	})
	return ids, err
}

// names returns the names in a directory, in no order; none if there is no
// such directory.
func names(dir string) (all []string, err error) {
	err = eachName(dir, func(name string) { all = append(all, name) })
	return all, err
}

// eachName calls do with the names in a directory, as names does.
func eachName(dir string, do func(name string)) error {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return advise(err)
	}
	defer f.Close()
	for {
		some, err := f.Readdirnames(256)
		for _, name := range some {
			do(name)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrNotExist): // a file, or removed a moment ago
			return nil
		case err != nil:
			return advise(err)
		}
	}
}

// path is where a document lives. Ids are foreign text: only a valid one becomes part of a
// path.
func (s *Spool) path(ctx context.Context, kind desk.Kind, id string) (string, error) {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return "", err
	}
	const slash = string(filepath.Separator)
	dir := s.dir + slash + string(kind) // filepath.Join takes longer than to open the file
	if kind == desk.KindArchive {
		dir += slash + desk.MonthOf(id)
	}
	return dir + slash + id + suffix, nil
}

// idOf returns the record id that a document or a lock is named after.
func idOf(file string) (string, bool) {
	id, ok := strings.CutSuffix(file, suffix)
	if !ok {
		id, ok = strings.CutSuffix(file, lockSuffix)
	}
	return id, ok && desk.ValidID(id)
}
