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

const linkSuffix = ".id"

// usuallyOne reports whether a name rarely has more than one mark of this kind.
func usuallyOne(mark desk.Mark) bool { return mark == desk.MarkContent || mark == desk.MarkAnswered }

// Mark implements desk.Store. Where a name rarely has more than one mark, the
// first is a symbolic link <name>.id to the id, which is no more than an entry of
// the directory; every other is an empty file <name>/<id>.
func (s *Spool) Mark(ctx context.Context, mark desk.Mark, name, id string) error {
	dir, err := s.markDir(ctx, mark, name, id)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := s.makeDirs(filepath.Dir(dir)); err != nil {
			return err
		}
		if usuallyOne(mark) && (os.Symlink(id, dir+linkSuffix) == nil || linkedID(dir) == id) {
			return nil
		}
		f, err := os.OpenFile(filepath.Join(dir, id), os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			err = f.Close()
			if err == nil && mark == desk.MarkContent { // Create syncs the directory above
				err = syncDir(dir)
			}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return advise(err)
		}
		// The first file of its name, or Unmark has just removed the empty directory.
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return advise(err)
		}
	}
	return context.Cause(ctx)
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
	dir, err := s.markDir(ctx, mark, name, id)
	if err != nil {
		return nil, err
	}
	removeFile := func() error {
		err := remove(filepath.Join(dir, id))
		_ = os.Remove(dir) // fails while there are others in it
		return err
	}
	if !usuallyOne(mark) || linkedID(dir) != id {
		return removeFile, nil
	}
	temp := filepath.Join(s.dir, tempDir, id+"."+rand.Text())
	if err := s.makeDirs(filepath.Dir(temp)); err != nil {
		return nil, err
	}
	return func() error {
		other, err := takeLink(dir, temp)
		if other != "" && other != id { // it took the place of ours since we read that
			err = errors.Join(err, s.Mark(context.WithoutCancel(ctx), mark, name, other))
		}
		return errors.Join(err, removeFile())
	}, nil
}

// takeLink removes the link beside a directory of marks, through a temporary name,
// and returns the id that it led to.
func takeLink(dir, temp string) (id string, err error) {
	if err := rename(dir+linkSuffix, temp); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return "", advise(err)
	}
	id, err = os.Readlink(temp)
	return id, errors.Join(err, remove(temp))
}

// Marks implements desk.Store.
func (s *Spool) Marks(ctx context.Context, mark desk.Mark, name string) ([]string, error) {
	if err := desk.Admit(ctx, name, desk.ValidName); err != nil {
		return nil, err
	}
	dir := s.marksOf(mark, name)
	ids, err := names(dir)
	if usuallyOne(mark) {
		ids = append(ids, linkedID(dir))
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !desk.ValidID(id) })
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// linkedID returns the id that the link beside a directory of marks leads to, or
// an empty string.
func linkedID(dir string) string {
	id, _ := os.Readlink(dir + linkSuffix)
	return id
}

// marksOf is the directory of the marks of a name. A record lies beside the mark of
// its content, so that one sync makes both last: without the mark an asker that asks
// the same after a power failure would not find it, and the user be asked twice.
func (s *Spool) marksOf(mark desk.Mark, name string) string {
	room := string(mark)
	if mark == desk.MarkContent {
		room = string(desk.KindPending)
	}
	return filepath.Join(s.dir, room, name)
}

// markDir is marksOf for names that come from outside.
func (s *Spool) markDir(ctx context.Context, mark desk.Mark, name, id string) (string, error) {
	err := desk.Admit(ctx, name, desk.ValidName)
	if err == nil {
		err = desk.Admit(ctx, id, desk.ValidID)
	}
	return s.marksOf(mark, name), err
}
