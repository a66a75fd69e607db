package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-askuser/desk/store"
)

// Wait implements [store.Store]. An answer wakes the process that attends a row; another
// that waits for it watches all changes meanwhile.
func (s *Store) Wait(ctx context.Context, id string) (store.Row, error) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	waiter := s.enter(id)
	defer s.leave(waiter)
	changes := (<-chan struct{})(nil)
	for waited := false; ; waited = true {
		row, holder, err := s.read(ctx, id)
		if waited && errors.Is(err, store.ErrNotFound) {
			err = fmt.Errorf("%w (%w)", store.ErrLost, err)
		}
		if err != nil || row.Outcome != nil {
			return row, err
		}
		if changes == nil && (holder == "" || holder != s.ownName()) {
			changes, err = s.Changes(within, "") // once: it watches until it has the answer
			if err != nil {
				return row, err
			}
			continue // it may have been answered before that
		}
		select {
		case <-waiter:
		case <-changes:
		case <-time.After(s.again):
		case <-ctx.Done():
			return store.Row{}, context.Cause(ctx)
		}
	}
}

// enter returns a channel that receives after changes of a row, or of any: an empty id.
func (s *Store) enter(id string) chan struct{} {
	waiter := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[waiter] = id
	return waiter
}

// leave closes a channel of enter.
func (s *Store) leave(waiter chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, waiter)
	close(waiter)
}

// woken wakes the calls of this process that wait for a row, and those that watch.
func (s *Store) woken(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for waiter, of := range s.waiting {
		if of == id || of == "" {
			store.Wake(waiter)
		}
	}
}

// Revision implements [store.Store].
func (s *Store) Revision(ctx context.Context) (last store.Revision, err error) {
	db, err := s.existing(ctx)
	if db != nil {
		err = s.explain(ctx, db.QueryRowContext(ctx, `select revision from counter`).Scan(&last.Own))
	}
	return last, err
}
