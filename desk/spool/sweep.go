package spool

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// The ages at which what was left behind belongs to a process that died. A living one needs
// a temporary file for milliseconds; one that was stopped for longer fails to give it a name.
const (
	staleAfter  = 24 * time.Hour
	halfWritten = time.Minute // a temporary file
)

// sweep removes what is not needed any more. A failure does no harm: the next process
// tries again.
func (s *Spool) sweep(ctx context.Context) {
	s.sweepTemp()
	s.sweepGone(ctx)
	s.sweepMonths()
	for _, mark := range []desk.Mark{desk.MarkSessions, desk.MarkLifted, desk.MarkReopened} {
		s.sweepSessions(mark)
	}
}

// sweepTemp removes what dead processes left half written.
func (s *Spool) sweepTemp() {
	dir := filepath.Join(s.dir, tempDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && !info.IsDir() && time.Since(info.ModTime()) > halfWritten {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// sweepMonths removes the directories of months that were pruned.
func (s *Spool) sweepMonths() {
	dir := filepath.Join(s.dir, string(desk.KindArchive))
	months, err := names(dir)
	if err != nil {
		return
	}
	for _, month := range months {
		if month < time.Now().UTC().AddDate(0, -1, 0).Format("2006-01") { // in which nothing is about to be archived
			_ = os.Remove(filepath.Join(dir, month)) // fails while there is something in it
		}
	}
}

// sweepGone removes what dead processes left of records that are no longer pending: locks,
// bells, and replies that are in the archive. It spares young ids: to sweep a lock is to
// hold it for a moment, and a record may be about to be committed.
func (s *Spool) sweepGone(ctx context.Context) {
	for _, id := range s.leftovers(string(desk.KindAskers), lockSuffix) {
		if release, err := s.Lock(ctx, desk.KindAskers, id); err == nil {
			release()
		}
	}
	for _, id := range s.leftovers(bellDir, "") {
		s.removeBell(id)
	}
	for _, id := range s.leftovers(fileDir, "") { // also copies of a shared desk's
		if _, err := s.Get(ctx, desk.KindArchive, id); errors.Is(err, desk.ErrNotFound) {
			_ = os.RemoveAll(filepath.Join(s.dir, fileDir, id))
		}
	}
	for _, id := range s.leftovers(string(desk.KindReplies), suffix) {
		if _, err := s.Get(ctx, desk.KindArchive, id); err == nil {
			_ = s.Delete(ctx, desk.KindReplies, id)
		}
	}
}

// leftovers returns the ids, of those that files of a room are named after, that
// are old and not pending.
func (s *Spool) leftovers(room, ending string) []string {
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
// long time, and then those of limits that were lifted for them. It looks at a
// few, by chance, so that it costs the same however many there are.
func (s *Spool) sweepSessions(mark desk.Mark) {
	const few = 100
	sessions, err := names(filepath.Join(s.dir, string(mark)))
	if err != nil {
		return
	}
	rand.Shuffle(len(sessions), func(i, j int) { sessions[i], sessions[j] = sessions[j], sessions[i] })
	for _, session := range sessions[:min(len(sessions), few)] {
		s.sweepSession(mark, session)
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
	_ = os.Remove(dir) // fails where another was marked just now
}
