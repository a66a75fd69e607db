package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcp-askuser/desk"
)

// Put implements desk.Store: a temporary file takes the place of the document.
// Nothing is synced; what is replaced every few keystrokes need not be.
func (s *Spool) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	temp, path, err := s.prepare(ctx, kind, id, data, false)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		os.Remove(temp)
		return advise(err)
	}
	return nil
}

// Mark implements desk.Store: an empty file <mark>/<name>/<id>.
func (s *Spool) Mark(ctx context.Context, mark desk.Mark, name, id string) error {
	path, err := s.markPath(ctx, mark, name, id)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.makeDirs(filepath.Dir(dir)); err != nil {
			return err
		}
		err := makeEmpty(path)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return advise(err)
		}
		// The first of its name, or Unmark has just removed the directory,
		// empty as it was. Unsynced, unlike makeDirs: a mark is a hint.
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return advise(err)
		}
	}
}

// openEmpty makes an empty file, unless there is one.
func openEmpty(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Unmark implements desk.Store.
func (s *Spool) Unmark(ctx context.Context, mark desk.Mark, name, id string) error {
	path, err := s.markPath(ctx, mark, name, id)
	if err != nil {
		return err
	}
	err = remove(path)
	_ = os.Remove(filepath.Dir(path)) // fails while there are others in it
	return err
}

// Marks implements desk.Store.
func (s *Spool) Marks(ctx context.Context, mark desk.Mark, name string) ([]string, error) {
	if err := may(ctx, name, desk.ValidName); err != nil {
		return nil, err
	}
	ids, err := names(filepath.Join(s.dir, string(mark), name))
	ids = slices.DeleteFunc(ids, func(id string) bool { return !desk.ValidID(id) })
	slices.Sort(ids)
	return ids, err
}

// markPath is where a mark lives.
func (s *Spool) markPath(ctx context.Context, mark desk.Mark, name, id string) (string, error) {
	err := may(ctx, name, desk.ValidName)
	if err == nil {
		err = may(ctx, id, desk.ValidID)
	}
	return filepath.Join(s.dir, string(mark), name, id), err
}
