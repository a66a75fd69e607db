package spool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// staleAfter is the age at which what was left behind belongs to a process that
// died: a living one needs a temporary file for milliseconds.
const staleAfter = 24 * time.Hour

// Decide implements desk.Store. Here a role is taken at its word: all who can
// reach the directory are the same user.
func (s *Spool) Decide(ctx context.Context, id string, _ desk.Role, data []byte) error {
	return s.Create(ctx, desk.KindReplies, id, data)
}

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
		ring, err := s.holdBell(id)
		if err != nil {
			return err
		}
		defer ring()
	}
	if err := link(temp, path, data); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%w: %w", desk.ErrUncertain, advise(err))
	}
	if kind == desk.KindArchive {
		s.sweep.Do(func() { // a moment when nobody waits for us
			s.sweepTemp()
			s.sweepGone(ctx)
			s.sweepSessions()
		})
	}
	return nil
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
		s.removeBell(id)
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
		if !s.isPending(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Spool) isPending(id string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, string(desk.KindPending), id+suffix))
	return !errors.Is(err, fs.ErrNotExist)
}

// sweepSessions removes the marks of sessions that have asked nothing for a
// long time, and lets the limits of rounds go with them. It looks at a few, by
// chance, so that it costs the same however many there are.
func (s *Spool) sweepSessions() {
	const few = 100
	for _, mark := range []desk.Mark{desk.MarkSessions, desk.MarkLifted} {
		sessions, err := names(filepath.Join(s.dir, string(mark)))
		if err != nil {
			return
		}
		rand.Shuffle(len(sessions), func(i, j int) { sessions[i], sessions[j] = sessions[j], sessions[i] })
		for _, session := range sessions[:min(len(sessions), few)] {
			s.sweepSession(mark, session)
		}
	}
}

func (s *Spool) sweepSession(mark desk.Mark, session string) {
	dir := filepath.Join(s.dir, string(mark), session)
	ids, err := names(dir)
	young := func(id string) bool {
		u, err := ulid.ParseStrict(id)
		return err != nil || time.Since(u.Timestamp()) < desk.SessionKeep || s.isPending(id)
	}
	if err != nil || slices.ContainsFunc(ids, young) {
		return
	}
	if mark == desk.MarkLifted { // as long as the session
		if asked, err := names(filepath.Join(s.dir, string(desk.MarkSessions), session)); err != nil || len(asked) > 0 {
			return
		}
	}
	for _, id := range ids {
		_ = os.Remove(filepath.Join(dir, id))
	}
	_ = os.Remove(dir) // fails where somebody has just marked another
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
		return fmt.Errorf("%w: the store must be yours to write to, on a file system with hard links: make it so, or %s", err, another)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w: something on the way to the store is a file: move it away, or %s", err, another)
	case errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%w: the store must be on a file system with hard links: %s", err, another)
	}
	return err
}
