package both

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcp-askuser/desk/store"
)

// Wait implements [store.Store]. It outlasts a shared desk that does not answer.
func (s *Store) Wait(ctx context.Context, id string) (store.Row, error) {
	home, err := s.home(ctx, id)
	if err != nil {
		return store.Row{}, err
	}
	if home != s.far {
		within, stop := context.WithCancel(ctx)
		defer stop()
		go s.adopt(within, id)
	}
	for {
		row, err := home.Wait(ctx, id)
		if !errors.Is(err, store.ErrUnreachable) {
			return row, err
		}
		if !s.rest(ctx) {
			return row, context.Cause(ctx)
		}
	}
}

// adopt ends a row of this machine as a human has ended it on the shared desk, where it may have
// arrived after all. Where it has not, it is looked for once more: it may be on its way.
func (s *Store) adopt(ctx context.Context, id string) {
	for looks := 0; looks < 2 && s.rest(ctx); {
		row, err := s.far.Wait(ctx, id)
		switch {
		case err == nil && row.Human != "":
			err = s.near.Answer(ctx, id, store.Ending{Outcome: row.Outcome, Text: row.Text})
			if err == nil {
				// Else the same question finds it again. The wait, which the answer ends, ends ctx.
				_ = s.far.Delivered(context.WithoutCancel(ctx), id)
				return
			}
			s.log.Info("the answer of the shared desk was not stored here", "id", id, "err", err) // it is tried again
		case errors.Is(err, store.ErrNotFound):
			looks++
		case !errors.Is(err, store.ErrUnreachable):
			return
		}
	}
}

// rest waits before the next attempt to reach the shared desk. It is false when ctx ends.
func (s *Store) rest(ctx context.Context) bool {
	select {
	case <-time.After(s.pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// Changes implements [store.Store]. Those of the shared desk follow once it answers, and it
// learns of the name then.
func (s *Store) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	here, err := s.near.Changes(ctx, name)
	if err != nil {
		return nil, err
	}
	changes := make(chan struct{}, 1)
	var passing sync.WaitGroup
	passing.Go(func() { pass(here, changes) })
	passing.Go(func() { s.passFar(ctx, name, changes) })
	go func() {
		passing.Wait()
		close(changes)
	}()
	return changes, nil
}

// passFar sends the changes of the shared desk, until ctx ends. The operator may permit later what the
// desk refuses.
func (s *Store) passFar(ctx context.Context, name string, to chan<- struct{}) {
	for refused := false; ; {
		there, err := s.far.Changes(ctx, name)
		if err == nil {
			store.Wake(to) // something may have changed before
			pass(there, to)
			return
		}
		if ctx.Err() == nil && !refused && !errors.Is(err, store.ErrUnreachable) {
			s.log.Warn("the shared desk does not let its changes be watched", "err", err)
			refused = true
		}
		if !s.rest(ctx) {
			return
		}
	}
}

// pass sends what it receives, until the channel is closed.
func pass(from <-chan struct{}, to chan<- struct{}) {
	for range from {
		store.Wake(to)
	}
}

// Present implements [store.Store]. Other machines do not list a row of this one.
func (s *Store) Present(ctx context.Context, id string) ([]string, error) {
	names, err := s.near.Present(ctx, id)
	if err != nil {
		return nil, err
	}
	home, err := s.home(ctx, id)
	if err != nil || home != s.far {
		return names, err
	}
	err = s.reach(ctx, s.patience, func(ctx context.Context) error {
		there, err := s.far.Present(ctx, id)
		names = append(names, there...)
		return err
	})
	slices.Sort(names)
	return slices.Compact(names), err
}
