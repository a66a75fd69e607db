package spool

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// Decide implements desk.Store. A role is not checked: all processes that reach the
// directory are the same user's.
func (s *Spool) Decide(ctx context.Context, id string, _ desk.Role, data []byte) error {
	return s.Create(ctx, desk.KindReplies, id, data)
}

// Create implements desk.Store. link(2) is what makes it exclusive: rename
// would let two answerers both believe that they were first.
func (s *Spool) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	temp, path, err := s.prepare(ctx, kind, id, data)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if kind == desk.KindReplies {
		ring, err := s.holdBell(id)
		if err != nil {
			return err
		}
		defer ring()
	}
	if err := link(temp, path, data); err != nil {
		return err
	}
	if err := s.syncNames(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%w: %w", desk.ErrUncertain, err)
	}
	if kind == desk.KindArchive {
		s.swept.Do(func() { s.sweep(ctx) }) // a moment when no call waits
	}
	return nil
}

// Put implements desk.Store: a temporary file takes the place of the document.
// What is replaced every few keystrokes is not synced.
func (s *Spool) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	path, err := s.path(ctx, kind, id)
	if err != nil {
		return err
	}
	return s.replace(path, id, data, kind != desk.KindDrafts && kind != desk.KindShowing)
}

// replace puts a file in the place of one, or of none, synced if wanted.
func (s *Spool) replace(path, id string, data []byte, sync bool) error {
	temp, err := s.writeTemp(path, id, data, sync)
	if err != nil {
		return err
	}
	if err := rename(temp, path); err != nil {
		os.Remove(temp)
		return advise(err)
	}
	if sync {
		return s.syncNames(filepath.Dir(path))
	}
	return nil
}

// Probe reports why no question could be stored now: it writes a document as
// for one, gives it a second name, and takes both away.
func (s *Spool) Probe(ctx context.Context) error {
	temp, path, err := s.prepare(ctx, desk.KindPending, ulid.Make().String(), make([]byte, 4<<10))
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	path += ".probe" // which is no name of a document
	defer os.Remove(path)
	return advise(os.Link(temp, path))
}

// link gives a temporary file the name of its document. A document that is
// there already with the same content may be the caller's own, whose sync had
// failed.
func link(temp, path string, data []byte) error {
	err := os.Link(temp, path)
	if !errors.Is(err, fs.ErrExist) {
		return advise(err)
	}
	if there, err := readFile(path); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return desk.ErrExists
}

// prepare writes a temporary file, synced, for a document that is to have this path.
func (s *Spool) prepare(ctx context.Context, kind desk.Kind, id string, data []byte) (temp, path string, err error) {
	if path, err = s.path(ctx, kind, id); err == nil {
		temp, err = s.writeTemp(path, id, data, true)
	}
	return temp, path, err
}

// writeTemp writes a temporary file, synced if wanted, for what is to have a path. It leaves
// none behind when it fails.
func (s *Spool) writeTemp(path, id string, data []byte, sync bool) (temp string, err error) {
	if len(data) > maxSize {
		return "", fmt.Errorf("%s would be %d bytes, more than %d: ask less at once", id, len(data), maxSize)
	}
	if err := s.makeDirs(filepath.Join(s.dir, tempDir), filepath.Dir(path)); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Join(s.dir, tempDir), id+".*") // mode 0600
	if err != nil {
		return "", advise(err)
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), advise(err)
}

// advise adds to an error of the file system what its owner can do about it.
func advise(err error) error {
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free some space and try again", err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%w: every waiting question needs an open file; raise the limit (ulimit -n)", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: the store must be yours to write to, on a file system with hard links: make it so, or %s", err, nameAnother)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w: something on the way to the store is a file: move it away, or %s", err, nameAnother)
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
		return fmt.Errorf("%w: the store must be on a file system with hard links and locks: %s", err, nameAnother)
	}
	return err
}
