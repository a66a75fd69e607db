package shared

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"mcp-askuser/desk/store"
)

// doubt is how long a holder with a connection may take to answer.
const doubt = 500 * time.Millisecond

// ring wakes one call that waits, or all: nil.
func (s *Store) ring(one chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for bell := range s.bells {
		if one == nil || one == bell {
			select {
			case bell <- struct{}{}:
			default: // it has a token already
			}
		}
	}
}

// listen returns a channel that receives after a document was stored, under a subject, or
// where a wake-up may have been lost.
func (s *Store) listen(ctx context.Context, subject string) (bell chan struct{}, stop func(), err error) {
	bell = make(chan struct{}, 1)
	var sub *nats.Subscription
	err = s.repeat(ctx, func(ctx context.Context) error {
		nc, err := s.connected(ctx)
		if err != nil {
			return err
		}
		sub, err = nc.Subscribe(subject, func(*nats.Msg) { s.ring(bell) })
		if err != nil {
			return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
		}
		_ = nc.FlushTimeout(attempt) // a reconnect subscribes again, and rings
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	s.active.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bells[bell] = true
	return bell, func() {
		_ = sub.Unsubscribe()
		s.mu.Lock()
		delete(s.bells, bell)
		s.mu.Unlock()
		s.active.Add(-1)
	}, nil
}

// Wait implements [store.Store]. It outlasts that the desk does not answer.
func (s *Store) Wait(ctx context.Context, id string) (row store.Row, err error) {
	if !isToken(id) {
		return row, store.ErrNotFound
	}
	bell, stop, err := s.listen(ctx, bellRoot+"r.*."+id+".a.*")
	if err != nil {
		return row, err
	}
	defer stop()
	for known := false; ; {
		row, err = s.Get(ctx, id)
		lost := errors.Is(err, store.ErrNotFound) || errors.Is(err, errNoStream)
		switch {
		case known && lost:
			return row, fmt.Errorf("%w (%s)", store.ErrLost, err.Error()) // which may be that it does not answer
		case err == nil && row.Outcome != nil, err != nil && (lost || !errors.Is(err, store.ErrUnreachable)):
			return row, err
		}
		known = known || err == nil
		var again <-chan time.Time
		if err != nil {
			again = time.After(doubt)
		}
		select {
		case <-bell:
		case <-again:
		case <-ctx.Done():
			return store.Row{}, context.Cause(ctx)
		}
	}
}

// Revision implements [store.Store].
func (s *Store) Revision(ctx context.Context) (last store.Revision, err error) {
	err = s.repeat(ctx, func(ctx context.Context) error {
		info, err := s.streamInfo(ctx, struct{}{})
		last.Far = int64(info.State.LastSeq)
		return err
	})
	return last, err
}

// Changes implements [store.Store].
func (s *Store) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	bell, stop, err := s.listen(ctx, bellRoot+">")
	if err != nil {
		return nil, err
	}
	leave := func() {}
	if name != "" {
		leave, err = s.announce(name)
	}
	if err != nil {
		stop()
		return nil, err
	}
	context.AfterFunc(ctx, func() {
		leave()
		stop()
		close(bell)
	})
	return bell, nil
}

// announce has this process answer that an inbox or a page is open, until leave is called. Every
// agent asks the users', and this one's own.
func (s *Store) announce(name string) (leave func(), err error) {
	nc, me := s.nc.Load(), s.identity()
	of := me.writer()
	if me.Human {
		of = "*"
	}
	sub, err := nc.Subscribe(presentRoot+of, func(m *nats.Msg) { respond(m, name) })
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	}
	_ = nc.FlushTimeout(attempt) // a reconnect subscribes again
	return func() {
		_ = sub.Unsubscribe()
		_ = nc.FlushTimeout(attempt) // else the node learns it later
	}, nil
}

// Present implements [store.Store].
func (s *Store) Present(ctx context.Context, _ string) (names []string, err error) {
	err = s.repeat(ctx, func(ctx context.Context) error {
		nc, err := s.connected(ctx)
		if err != nil {
			return err
		}
		names = nil
		err = gather(ctx, nc, presentRoot+s.identity().writer(), s.back(), func(m *nats.Msg) {
			names = append(names, string(m.Data))
		})
		if err == nil && names == nil {
			_, err = s.streamInfo(ctx, struct{}{}) // else the silence is that of the node
		}
		return err
	})
	slices.Sort(names)
	return slices.Compact(names), err
}
