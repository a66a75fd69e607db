package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// staleAfter is the age at which what was left behind belongs to a process that
// died: a living one needs a temporary file for milliseconds.
const staleAfter = 24 * time.Hour

// Create implements desk.Store. link(2) is what makes it exclusive: rename
// would let two answerers both believe that they were first.
func (s *Spool) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	path, err := s.path(kind, id)
	if err != nil {
		return err
	}
	if len(data) > maxSize {
		return fmt.Errorf("%s would be %d bytes, more than %d: ask less at once", id, len(data), maxSize)
	}
	if err := s.makeDirs(filepath.Join(s.dir, tempDir), filepath.Dir(path)); err != nil {
		return err
	}
	temp, err := s.writeTemp(id, data, true)
	if err != nil {
		return advise(err)
	}
	defer os.Remove(temp)
	if kind == desk.KindReplies {
		letGo, err := s.grip(id)
		if err != nil {
			return err
		}
		defer letGo()
	}
	if err := os.Link(temp, path); err != nil {
		return advise(err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return advise(err)
	}
	if kind == desk.KindArchive {
		s.sweep.Do(func() { // a moment when nobody waits for us
			s.sweepTemp()
			s.sweepGone(ctx)
		})
	}
	return nil
}

// writeTemp writes a temporary file, synced if wanted, and returns its path.
// It leaves none behind when it fails.
func (s *Spool) writeTemp(id string, data []byte, sync bool) (path string, err error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, tempDir), id+".*") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	if errClose := f.Close(); err == nil {
		err = errClose
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// sweepTemp removes what dead processes left. Failing is no harm: the next
// process tries again.
func (s *Spool) sweepTemp() {
	dir := filepath.Join(s.dir, tempDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// sweepGone removes what dead processes left of records that are no longer
// pending: locks, bells, and replies that are in the archive. It spares young
// ids: to sweep a lock is to hold it for a moment, which must not befall a
// record that is about to be committed.
func (s *Spool) sweepGone(ctx context.Context) {
	for _, id := range s.gone(string(desk.KindAskers), lockSuffix) {
		if release, err := s.Lock(ctx, desk.KindAskers, id); err == nil {
			release()
		}
	}
	for _, id := range s.gone(bellDir, "") {
		s.removeBells(id)
	}
	for _, id := range s.gone(string(desk.KindReplies), suffix) {
		if _, err := s.Get(ctx, desk.KindArchive, id); err == nil {
			_ = s.Delete(ctx, desk.KindReplies, id)
		}
	}
}

// gone returns the ids, of those that files of a room are named after, that
// are old and not pending.
func (s *Spool) gone(room, ending string) []string {
	files, err := names(filepath.Join(s.dir, room))
	if err != nil {
		return nil
	}
	var ids []string
	for _, file := range files {
		id, ok := strings.CutSuffix(file, ending)
		u, err := ulid.ParseStrict(id)
		if !ok || err != nil || time.Since(u.Timestamp()) < staleAfter {
			continue
		}
		if _, err := os.Lstat(filepath.Join(s.dir, string(desk.KindPending), id+suffix)); errors.Is(err, fs.ErrNotExist) {
			ids = append(ids, id)
		}
	}
	return ids
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
		return fmt.Errorf("%w: the store must be writable and on a file system with hard links; set %s to another directory if this one is not", err, EnvDir)
	case errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w: the store must be on a file system with hard links; set %s to a directory on one", err, EnvDir)
	}
	return err
}
