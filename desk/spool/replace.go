package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcp-askuser/desk"
)

// Put implements desk.Store: a temporary file takes the place of the document.
// Nothing is synced; what is replaced every few keystrokes need not be.
func (s *Spool) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	path, err := s.path(kind, id)
	if err != nil {
		return err
	}
	if len(data) > maxSize {
		return fmt.Errorf("%s would be %d bytes, more than %d", id, len(data), maxSize)
	}
	if err := s.makeDirs(filepath.Join(s.dir, tempDir), filepath.Dir(path)); err != nil {
		return err
	}
	temp, err := s.writeTemp(id, data, false)
	if err != nil {
		return advise(err)
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
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return advise(err)
	}
	_ = os.Remove(filepath.Dir(path)) // fails while there are others in it
	return nil
}

// Marks implements desk.Store.
func (s *Spool) Marks(ctx context.Context, mark desk.Mark, name string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	dir, err := s.markDir(mark, name)
	if err != nil {
		return nil, err
	}
	ids, err := names(dir)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !desk.ValidID(id) })
	slices.Sort(ids)
	return ids, nil
}

func (s *Spool) markDir(mark desk.Mark, name string) (string, error) {
	if !desk.ValidName(name) {
		return "", badName(name)
	}
	return filepath.Join(s.dir, string(mark), name), nil
}

// markPath is where a mark lives.
func (s *Spool) markPath(ctx context.Context, mark desk.Mark, name, id string) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	dir, err := s.markDir(mark, name)
	if err != nil {
		return "", err
	}
	if !desk.ValidID(id) {
		return "", badName(id)
	}
	return filepath.Join(dir, id), nil
}
