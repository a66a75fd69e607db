package spool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
)

// Bell implements desk.Store with a named pipe. Whoever replies holds the other
// end of it from before the commit until after: that it lets go, finished or
// killed, the kernel tells the waiter. A waiter costs two files, wakes nobody
// but itself, and needs no file notification, of which a user has few instances
// (128 by default).
func (s *Spool) Bell(ctx context.Context, id string) (rings <-chan struct{}, stop func(), err error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if !desk.ValidID(id) {
		return nil, nil, fmt.Errorf("%q is no record id: %w", id, fs.ErrInvalid)
	}
	dir := filepath.Join(s.dir, bellDir, id)
	pipe, err := s.makePipe(dir)
	if err != nil {
		return nil, nil, err
	}
	conn, err := pipe.SyscallConn()
	if err != nil {
		_ = pipe.Close()
		return nil, nil, err
	}
	ringing, listening, ended := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer close(ringing)
		// One call for the whole life: each begins by forgetting what has
		// happened before. Nothing is ever read; to read from a pipe that
		// nobody writes to is to meet its end at once.
		first := true
		_ = conn.Read(func(uintptr) bool {
			if first {
				first = false
				close(listening)
				return false
			}
			select {
			case ringing <- struct{}{}:
			default: // the last one is not heard yet
			}
			return false
		})
	}()
	select {
	case <-listening:
	case <-ended: // and ringing is closed
	}
	return ringing, func() {
		_ = os.Remove(pipe.Name())
		_ = os.Remove(dir) // fails while others wait too
		_ = pipe.Close()
		<-ended
	}, nil
}

// makePipe makes a named pipe in dir and opens it for reading.
func (s *Spool) makePipe(dir string) (*os.File, error) {
	for {
		if err := s.makeDirs(filepath.Dir(dir)); err != nil {
			return nil, err
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, advise(err)
		}
		path := filepath.Join(dir, rand.Text())
		err := unix.Mkfifo(path, 0o600)
		if errors.Is(err, unix.EPERM) { // the file system has no pipes
			return nil, errors.ErrUnsupported
		}
		var pipe *os.File
		if err == nil {
			pipe, err = os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // the last waiter, or the archiving, has just removed the directory
		}
		if err != nil {
			_ = os.Remove(path)
			return nil, advise(err)
		}
		return pipe, nil
	}
}

// grip takes hold of the bells of a record; letGo rings them, and those that
// were hung up meanwhile: whoever came too late for that finds the reply.
func (s *Spool) grip(id string) (letGo func(), err error) {
	held, err := s.openBells(id)
	if err != nil {
		closeAll(held)
		return nil, advise(err)
	}
	return func() {
		late, _ := s.openBells(id) // what is there to be rung can be opened, a moment ago it could
		closeAll(late)
		closeAll(held)
	}, nil
}

func (s *Spool) openBells(id string) (open []*os.File, err error) {
	dir := filepath.Join(s.dir, bellDir, id)
	pipes, err := names(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it went away while we looked
	}
	for _, name := range pipes {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|unix.O_NONBLOCK, 0)
		switch {
		case errors.Is(err, unix.ENXIO), errors.Is(err, fs.ErrNotExist):
			continue // the waiter is dead, or gone, or has not opened its end yet
		case err != nil:
			return open, err
		}
		open = append(open, f)
	}
	return open, err
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// removeBells takes down what dead waiters left.
func (s *Spool) removeBells(id string) {
	_ = os.RemoveAll(filepath.Join(s.dir, bellDir, id))
}
