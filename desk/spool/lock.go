package spool

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"mcp-askuser/desk"
)

const lockSuffix = ".lock"

// A look at a lock (Locked) holds it for microseconds, so one who wants it
// tries for a while before believing that it is taken.
const (
	lockTries = 10
	lockPause = 2 * time.Millisecond
)

// Lock implements desk.Store: flock(2) on <kind>/<name>.lock, which the kernel
// lets go when the process dies. Two locks of one process exclude each other
// too. The file goes with the lock; one who had opened it before that holds a
// lock on nothing, notices, and tries again on the file that has its name now.
func (s *Spool) Lock(ctx context.Context, kind desk.Kind, name string) (func(), error) {
	path, err := s.lockPath(kind, name)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := s.makeDirs(filepath.Dir(path)); err != nil {
			return nil, err
		}
		lock := flock.New(path, flock.SetPermissions(0o600))
		got, err := lock.TryLock()
		switch {
		case err != nil:
			_ = lock.Close()
			return nil, fmt.Errorf("lock %s: %w", path, advise(err))
		case got && current(lock, path):
			return func() {
				_ = os.Remove(path)
				_ = lock.Close()
			}, nil
		}
		_ = lock.Close()
		if !got && try >= lockTries {
			return nil, desk.ErrLocked
		}
		if !got {
			time.Sleep(lockPause)
		}
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
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	path, err := s.lockPath(kind, name)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(path); err != nil { // do not create what is not there
		return false, nil
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	got, err := lock.TryRLock()
	defer lock.Close()
	if err != nil {
		return false, nil // gone in this moment
	}
	return !got, nil
}

// Locks implements desk.Store. Files that dead processes left are removed.
func (s *Spool) Locks(ctx context.Context, kind desk.Kind) ([]string, error) {
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
		} else if release, err := s.Lock(ctx, kind, name); err == nil {
			release()
		}
	}
	return held, nil
}

func (s *Spool) lockPath(kind desk.Kind, name string) (string, error) {
	if !safeName(name) {
		return "", fmt.Errorf("%q is no name of a lock: %w", name, fs.ErrInvalid)
	}
	return filepath.Join(s.dir, string(kind), name+lockSuffix), nil
}
