package spool

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcp-askuser/desk"
)

// Put implements desk.Store: a temporary file takes the place of the document.
// What is replaced every few keystrokes is not synced.
func (s *Spool) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	sync := kind != desk.KindDrafts && kind != desk.KindShowing
	temp, path, err := s.prepare(ctx, kind, id, data, sync)
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

// Mark implements desk.Store. Where a name rarely has more than one mark, the
// first is a symbolic link <mark>/<name>.id to the id, which is no more than an
// entry of the directory; every other is an empty file <mark>/<name>/<id>.
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
		if alone(mark) && (os.Symlink(id, dir+linkSuffix) == nil || linked(dir) == id) {
			return nil
		}
		if err := makeEmpty(path); !errors.Is(err, fs.ErrNotExist) {
			if err == nil && mark == desk.MarkContent { // see syncMarks
				err = syncDir(dir)
			}
			return advise(err)
		}
		// The first of its name, or Unmark has just removed the directory,
		// empty as it was.
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return advise(err)
		}
	}
}

// syncMarks makes the marks of a record survive a power failure by which an asker
// that asks the same finds it: else the user would be asked twice.
func (s *Spool) syncMarks() error {
	err := s.syncNames(filepath.Join(s.dir, string(desk.MarkContent)))
	if errors.Is(err, fs.ErrNotExist) { // nobody ever asks this one again
		return nil
	}
	return err
}

const linkSuffix = ".id"

// alone reports whether a name rarely has more than one mark of this kind.
func alone(mark desk.Mark) bool { return mark == desk.MarkContent || mark == desk.MarkAnswered }

// linked returns the id that the link beside a directory of marks leads to, or
// an empty string.
func linked(dir string) string {
	id, _ := os.Readlink(dir + linkSuffix)
	return id
}

// unlink takes out the mark that is a link, which had this id, by a rename to
// temp. Another may have taken its place since it was read: that is put back.
func (s *Spool) unlink(ctx context.Context, mark desk.Mark, name, id, temp string) error {
	link := filepath.Join(s.dir, string(mark), name) + linkSuffix
	if err := rename(link, temp); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return advise(err)
	}
	other, err := os.Readlink(temp)
	if err == nil && other != id {
		err = s.Mark(context.WithoutCancel(ctx), mark, name, other)
	}
	return errors.Join(err, remove(temp))
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
	unmark, err := s.PrepareUnmark(ctx, mark, name, id)
	if err != nil {
		return err
	}
	return unmark()
}

// PrepareUnmark implements desk.Unmarker.
func (s *Spool) PrepareUnmark(ctx context.Context, mark desk.Mark, name, id string) (unmark func() error, err error) {
	path, err := s.markPath(ctx, mark, name, id)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	removeFile := func() error {
		err := remove(path)
		_ = os.Remove(dir) // fails while there are others in it
		return err
	}
	if !alone(mark) || linked(dir) != id {
		return removeFile, nil
	}
	temp := filepath.Join(s.dir, tempDir, id+"."+rand.Text())
	if err := s.makeDirs(filepath.Dir(temp)); err != nil {
		return nil, err
	}
	return func() error { return errors.Join(s.unlink(ctx, mark, name, id, temp), removeFile()) }, nil
}

// Marks implements desk.Store.
func (s *Spool) Marks(ctx context.Context, mark desk.Mark, name string) ([]string, error) {
	if err := desk.Admit(ctx, name, desk.ValidName); err != nil {
		return nil, err
	}
	dir := filepath.Join(s.dir, string(mark), name)
	ids, err := names(dir)
	if alone(mark) {
		ids = append(ids, linked(dir))
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !desk.ValidID(id) })
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// markPath is where a mark lives.
func (s *Spool) markPath(ctx context.Context, mark desk.Mark, name, id string) (string, error) {
	err := desk.Admit(ctx, name, desk.ValidName)
	if err == nil {
		err = desk.Admit(ctx, id, desk.ValidID)
	}
	return filepath.Join(s.dir, string(mark), name, id), err
}
