package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
)

// Bell implements desk.Store with a named pipe, which all waiters for the record share. An
// answerer opens the other end before the commit; when it closes it, or dies, the kernel
// wakes all waiters. A waiter costs one open file, and no file notification, of which a user
// has 128 by default. The pipe is removed when the record is archived. The sentry wakes the
// waiters of a process when the store itself is removed.
func (s *Spool) Bell(ctx context.Context, id string, look func() bool) error {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return err
	}
	pipe, err := s.openBell(ctx, id)
	if err != nil {
		return err
	}
	defer func() {
		s.sentry.leave(pipe)
		_ = pipe.Close()
		if !s.isPending(id) {
			s.removeBell(id)
		}
	}()
	conn, err := pipe.SyscallConn()
	if err != nil {
		return err
	}
	interrupt := context.AfterFunc(ctx, func() { _ = pipe.SetReadDeadline(time.Unix(1, 0)) })
	defer interrupt()
	for {
		// First: a deadline that ctx or the sentry sets from now on stays.
		_ = pipe.SetReadDeadline(time.Time{})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.sentry.join(s.dir, pipe)
		// One call for the whole wait: each forgets what happened before it. Nothing is
		// ever read: a pipe without a writer is at its end.
		err = conn.Read(func(uintptr) bool { return look() })
		switch {
		case ctx.Err() != nil && err != nil:
			return context.Cause(ctx)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return err
		}
	}
}

func (s *Spool) bellPath(id string) string { return filepath.Join(s.dir, bellDir, id) }

// openBell opens the pipe of a record for reading, and makes it if need be.
func (s *Spool) openBell(ctx context.Context, id string) (*os.File, error) {
	path := s.bellPath(id)
	for ctx.Err() == nil {
		if err := s.makeDirs(filepath.Dir(path)); err != nil {
			return nil, err
		}
		err := unix.Mkfifo(path, 0o600)
		if errors.Is(err, unix.EPERM) { // the file system has no pipes
			return nil, desk.ErrNoBells
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, advise(&fs.PathError{Op: "mkfifo", Path: path, Err: err})
		}
		pipe, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
		if !errors.Is(err, fs.ErrNotExist) { // the record was archived in this moment
			return pipe, advise(err)
		}
	}
	return nil, context.Cause(ctx)
}

// holdBell opens the bell of a record; ring closes it, which wakes also the waiters
// that came meanwhile. A later one finds the reply.
func (s *Spool) holdBell(id string) (ring func(), err error) {
	held, err := s.openToRing(id)
	if err != nil {
		return nil, advise(err)
	}
	return func() {
		if held == nil { // there was no waiter
			held, _ = s.openToRing(id)
		}
		_ = held.Close()
	}, nil
}

// openToRing opens the pipe of a record for writing; nil where there is no waiter.
func (s *Spool) openToRing(id string) (*os.File, error) {
	pipe, err := os.OpenFile(s.bellPath(id), os.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ENXIO) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return pipe, err
}

func (s *Spool) removeBell(id string) { _ = os.Remove(s.bellPath(id)) }
