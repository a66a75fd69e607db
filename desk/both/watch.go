package both

import (
	"context"
	"errors"
	"slices"
	"sync"

	"mcp-askuser/desk/store"
)

// Changes implements [store.Store]. Those of the shared desk follow once it answers.
func (s *Store) Changes(ctx context.Context) (<-chan struct{}, error) {
	here, err := s.near.Changes(ctx)
	if err != nil {
		return nil, err
	}
	changes := make(chan struct{}, 1)
	go pass(ctx, here, changes)
	go s.untilReached(ctx, func() error {
		there, err := s.far.Changes(ctx)
		if err != nil {
			return err
		}
		wake(changes) // something may have changed before
		pass(ctx, there, changes)
		return store.ErrUnreachable // where it closed the channel
	})
	return changes, nil
}

// pass sends what it receives, until ctx ends or the channel is closed.
func pass(ctx context.Context, from <-chan struct{}, to chan<- struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-from:
			if !open {
				return
			}
			wake(to)
		}
	}
}

func wake(watcher chan<- struct{}) {
	select {
	case watcher <- struct{}{}:
	default: // it has a token already
	}
}

// untilReached calls the shared desk, again after a pause as long as it does not answer.
func (s *Store) untilReached(ctx context.Context, call func() error) {
	for {
		err := call()
		if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrUnreachable) {
			s.log.Warn("the shared desk refuses a call", "err", err)
		}
		if !errors.Is(err, store.ErrUnreachable) || !s.rest(ctx) {
			return
		}
	}
}

// Announce implements [store.Store]. The shared desk learns of it once it answers.
func (s *Store) Announce(ctx context.Context, name string) (release func(), err error) {
	leave, err := s.near.Announce(ctx, name)
	if err != nil {
		return nil, err
	}
	open, end := context.WithCancel(context.WithoutCancel(ctx))
	var announced sync.WaitGroup
	announced.Go(func() {
		s.untilReached(open, func() error {
			leave, err := s.far.Announce(open, name)
			if err == nil {
				<-open.Done()
				leave()
			}
			return err
		})
	})
	return sync.OnceFunc(func() {
		leave()
		end()
		announced.Wait()
	}), nil
}

// Present implements [store.Store]. A shared desk that does not answer in time adds none.
func (s *Store) Present(ctx context.Context) ([]string, error) {
	names, err := s.near.Present(ctx)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeoutCause(ctx, s.patience, errLate)
	defer cancel()
	there, err := s.far.Present(within)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		names = append(names, there...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
