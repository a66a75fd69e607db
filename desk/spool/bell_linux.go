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

// Bell implements desk.Store with a named pipe, which all who wait for the
// record share. Whoever replies holds the other end of it from before the
// commit until after: that it is closed, by one who has finished or was killed,
// the kernel tells all waiters. A waiter costs one open file, wakes nobody but
// itself, and needs no file notification, of which a user has few instances
// (128 by default). The pipe goes when the record is archived: nobody knows who is
// the last to wait.
//
// That the store itself goes is told to no pipe: all waiters of a process share a
// sentry for that.
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
		// In this order: a deadline that ctx or the sentry sets from now on stays.
		_ = pipe.SetReadDeadline(time.Time{})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.sentry.join(s.dir, pipe)
		// One call for the whole wait: each begins by forgetting what has happened
		// before. Nothing is ever read; to read from a pipe that nobody writes to is
		// to meet its end at once.
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

// holdBell takes hold of the bell of a record; ring rings it, also for those
// who have begun to wait meanwhile: whoever came too late for that finds the
// reply.
func (s *Spool) holdBell(id string) (ring func(), err error) {
	held, err := s.openToRing(id)
	if err != nil {
		return nil, advise(err)
	}
	return func() {
		if held == nil { // nobody waited then
			held, _ = s.openToRing(id)
		}
		_ = held.Close()
	}, nil
}

// openToRing opens the pipe of a record for writing; nil where nobody waits.
func (s *Spool) openToRing(id string) (*os.File, error) {
	pipe, err := os.OpenFile(s.bellPath(id), os.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ENXIO) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return pipe, err
}

func (s *Spool) removeBell(id string) { _ = os.Remove(s.bellPath(id)) }
