package spool

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"mcp-askuser/desk"
)

const lockSuffix = ".lock"

// A process that looks at a lock holds it, shared, for microseconds, or for longer when
// it does not get to run. A locker tries again until then: to take the look for an
// owner would be to ask the human twice.
const (
	lockLimit = 10 * time.Second // a look that was stopped is given up
	lockPause = time.Millisecond
)

// Lock implements desk.Store: flock(2) on <kind>/<name>.lock, which the kernel releases when
// the process dies. Two locks of one process exclude each other too. The file is removed
// with the lock: a locker that had opened it before tries again on the new file.
func (s *Spool) Lock(ctx context.Context, kind desk.Kind, name string) (release func(), err error) {
	path, err := s.lockPath(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockLimit); time.Now().Before(end); {
		if taken, err := locked(path); taken || err != nil { // usual where many ask the same, and cheap
			return nil, cmp.Or(err, desk.ErrLocked)
		}
		if err := s.makeDirs(filepath.Dir(path)); err != nil {
			return nil, err
		}
		lock := flock.New(path)
		got, err := lock.TryLock()
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // the directory was removed with the store
			return nil, advise(err)
		}
		if got && current(lock, path) {
			// The file was there before it was locked, and watchers heard of it too
			// early. This tells them again; a failure does no harm.
			now := time.Now()
			_ = os.Chtimes(path, now, now)
			return func() { unlock(lock) }, nil
		}
		_ = lock.Close()
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return nil, desk.ErrLocked
}

// unlock removes the file of a lock and releases the lock, in this order: the next
// locker must not lose the file. On Windows, where an open file cannot be removed, it
// does so in the other.
func unlock(lock *flock.Flock) {
	if os.Remove(lock.Path()) == nil {
		_ = lock.Close()
		return
	}
	_ = lock.Close()
	if runtime.GOOS == "windows" {
		_ = os.Remove(lock.Path())
	}
}

// current reports whether the locked file is the one that has the name.
func current(lock *flock.Flock, path string) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(locked, named)
}

// Locked implements desk.Store.
func (s *Spool) Locked(ctx context.Context, kind desk.Kind, name string) (bool, error) {
	path, err := s.lockPath(ctx, kind, name)
	if err != nil {
		return false, err
	}
	return locked(path)
}

// locked reports whether the lock is held. It creates nothing.
func locked(path string) (bool, error) {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	got, err := lock.TryRLock()
	_ = lock.Close()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && !got, advise(err)
}

// Locks implements desk.Store. Files that dead processes left are removed where
// names are never used again: to remove one is to hold it for a moment, in which an
// asker would take it for another's.
func (s *Spool) Locks(ctx context.Context, kind desk.Kind) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	files, err := names(filepath.Join(s.dir, string(kind)))
	if err != nil {
		return nil, err
	}
	var held []string
	for _, file := range files {
		name, ok := strings.CutSuffix(file, lockSuffix)
		if !ok {
			continue
		}
		locked, err := s.Locked(ctx, kind, name)
		if err != nil {
			return nil, err
		}
		if locked {
			held = append(held, name)
		} else if kind == desk.KindPresent {
			if release, err := s.Lock(ctx, kind, name); err == nil {
				release()
			}
		}
	}
	return held, nil
}

func (s *Spool) lockPath(ctx context.Context, kind desk.Kind, name string) (string, error) {
	return filepath.Join(s.dir, string(kind), name+lockSuffix), desk.Admit(ctx, name, desk.ValidName)
}
