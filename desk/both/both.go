// Package both joins a shared desk and the store of this machine into one [store.Store]. A
// row has one home, the store where it was asked: the shared desk if it answers within two
// seconds, else this machine. A call for a row goes to its home, and no row is copied.
//
// What the shared desk does not take in time is asked on this machine under the same id,
// even where it may have arrived there. This machine has the word then: it is looked at
// first, and a row of the shared desk with an id that this machine has is left out.
// Programs on other machines may see it until its Keep ends; what a human answers there ends the
// row of this machine while a process waits for it.
//
// A draft that the shared desk cannot take is kept on this machine, and shown in place of
// the shared one until the row is answered. The package knows rows, and must not know what
// a question is.
package both

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"mcp-askuser/desk/local"
	"mcp-askuser/desk/store"
)

const (
	// patience is how long the shared desk has to take a question.
	patience = 2 * time.Second
	// pause is the time between two attempts to reach a shared desk that did not answer.
	pause = 5 * time.Second
)

// errLate ends a call of the shared desk that has only so much time.
var errLate = fmt.Errorf("%w in time", store.ErrUnreachable)

// Store is a [store.Store] of two.
type Store struct {
	near   *local.Store
	far    store.Store
	log    *slog.Logger
	failed atomic.Pointer[time.Time] // when the shared desk last did not answer; nil since it did

	patience, pause time.Duration
}

var _ store.Store = (*Store)(nil)

// Join returns the store of a machine and of a shared desk. It calls neither.
func Join(near *local.Store, far store.Store, log *slog.Logger) *Store {
	return &Store{near: near, far: far, log: log, patience: patience, pause: pause}
}

// reach calls the shared desk, which has so long to answer; 0 is as long as it takes. Where it did
// not answer last it has the patience at most, and little of that a moment later. Such a call does
// not count: the desk may be slow, and calls may follow each other for ever.
func (s *Store) reach(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	failed := s.failed.Load()
	hasLittle := failed != nil && time.Since(*failed) < s.pause
	switch {
	case hasLittle:
		limit = s.patience / 4
	case limit == 0 && failed != nil:
		limit = s.patience
	}
	within := ctx
	if limit > 0 {
		short, cancel := context.WithTimeoutCause(ctx, limit, errLate)
		defer cancel()
		within = short
	}
	err := call(within)
	if !errors.Is(err, store.ErrUnreachable) {
		if ctx.Err() == nil { // else the caller has gone, and the desk has not answered
			s.failed.Store(nil)
		}
		return err
	}
	if hasLittle {
		return err
	}
	now := time.Now()
	if s.failed.Swap(&now) == nil {
		s.log.Warn("the shared desk does not answer: questions are asked on this machine", "err", err)
	}
	return err
}

// Revision implements [store.Store]. What a shared desk has that does not answer in time is
// still to be read.
func (s *Store) Revision(ctx context.Context) (store.Revision, error) {
	last, err := s.near.Revision(ctx)
	if err != nil {
		return last, err
	}
	err = s.reach(ctx, s.patience, func(ctx context.Context) error {
		there, err := s.far.Revision(ctx)
		last = last.Max(there)
		return err
	})
	if errors.Is(err, store.ErrUnreachable) {
		err = nil
	}
	return last, err
}

// home returns the store that keeps a row: the shared desk if this machine does not.
func (s *Store) home(ctx context.Context, id string) (store.Store, error) {
	_, err := s.near.Get(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return s.far, nil
	}
	return s.near, err
}

// atHome calls the home of a row.
func (s *Store) atHome(ctx context.Context, id string, call func(context.Context, store.Store) error) error {
	home, err := s.home(ctx, id)
	if err != nil {
		return err
	}
	if home == s.far {
		return s.reach(ctx, 0, func(ctx context.Context) error { return call(ctx, home) })
	}
	return call(ctx, home)
}

// Ask implements [store.Store].
func (s *Store) Ask(ctx context.Context, row store.Row) (got store.Row, err error) {
	home, err := s.homeToAsk(ctx, row)
	if err != nil {
		return row, err
	}
	if home == s.far {
		limit := s.patience
		if row.Earlier != "" { // it can be asked nowhere else
			limit = 0
		}
		err = s.reach(ctx, limit, func(ctx context.Context) error {
			got, err = s.far.Ask(ctx, row)
			return err
		})
		if row.Earlier != "" || ctx.Err() != nil || !errors.Is(err, store.ErrUnreachable) {
			return got, err
		}
	}
	return s.near.Ask(ctx, row)
}

// homeToAsk returns where a row is asked first. One that goes back to an earlier one is asked at
// the home of that. One with the content of a row on this machine, asked while the shared desk
// did not answer, takes that over.
func (s *Store) homeToAsk(ctx context.Context, row store.Row) (store.Store, error) {
	if row.Earlier != "" {
		return s.home(ctx, row.Earlier)
	}
	if row.Content == "" || row.Outcome != nil {
		return s.far, nil
	}
	for same, err := range s.near.Rows(ctx, store.Query{Content: row.Content, Kept: row.At}) {
		if err != nil || !same.Attended {
			return s.near, err
		}
	}
	return s.far, nil
}

// Attend implements [store.Store].
func (s *Store) Attend(ctx context.Context, id string) (row store.Row, err error) {
	err = s.atHome(ctx, id, func(ctx context.Context, home store.Store) error {
		row, err = home.Attend(ctx, id)
		return err
	})
	return row, err
}

// Release implements [store.Store]. What a shared desk does not take has ended all the same: this
// process says no more that it waits.
func (s *Store) Release(ctx context.Context, id string) error {
	there := false
	err := s.atHome(ctx, id, func(ctx context.Context, home store.Store) error {
		there = home == s.far
		return home.Release(ctx, id)
	})
	if there && errors.Is(err, store.ErrUnreachable) {
		return nil
	}
	return err
}

// Answer implements [store.Store].
func (s *Store) Answer(ctx context.Context, id string, end store.Ending) error {
	err := s.atHome(ctx, id, func(ctx context.Context, home store.Store) error { return home.Answer(ctx, id, end) })
	if err == nil || errors.Is(err, store.ErrAnswered) {
		_ = s.near.DropDraft(ctx, id) // else the next reader does it
	}
	return err
}

// Delivered implements [store.Store].
func (s *Store) Delivered(ctx context.Context, id string) error {
	return s.atHome(ctx, id, func(ctx context.Context, home store.Store) error { return home.Delivered(ctx, id) })
}

// Note implements [store.Store]. A draft that the shared desk does not take is kept on this
// machine, and so are those that follow it.
func (s *Store) Note(ctx context.Context, id string, note store.Note, change func(old []byte) ([]byte, error)) error {
	if note == store.Draft {
		drafts, err := s.near.KeptDrafts(ctx)
		if err != nil {
			return err
		}
		_, kept := drafts[id]
		if kept {
			return s.near.KeepDraft(ctx, id, change)
		}
	}
	err := s.atHome(ctx, id, func(ctx context.Context, home store.Store) error {
		return home.Note(ctx, id, note, change)
	})
	if note == store.Draft && errors.Is(err, store.ErrUnreachable) {
		return s.near.KeepDraft(ctx, id, change)
	}
	return err
}

// PutFile implements [store.Store].
func (s *Store) PutFile(ctx context.Context, id, key string, data []byte, most int) error {
	return s.atHome(ctx, id, func(ctx context.Context, home store.Store) error {
		return home.PutFile(ctx, id, key, data, most)
	})
}

// File implements [store.Store]: a shared desk keeps none.
func (s *Store) File(ctx context.Context, id, key string) ([]byte, error) {
	return s.near.File(ctx, id, key)
}

// Prune implements [store.Store], on this machine alone.
func (s *Store) Prune(ctx context.Context, before time.Time, dry bool) (int, error) {
	return s.near.Prune(ctx, before, dry)
}
