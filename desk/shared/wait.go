package shared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"mcp-askuser/desk/store"
)

const (
	// lookAgain is how often a call that waits looks without a wake-up.
	lookAgain = 30 * time.Second
	// doubt is how long a holder without a connection may take to connect to another node.
	doubt = 500 * time.Millisecond
)

// holder is the name of this process as a holder: only its credential can answer under it.
func (s *Store) holder() string { return s.identity().writer() + "." + s.token }

// back is a subject for the answers of other processes.
func (s *Store) back() string { return backRoot + s.identity().writer() + "." + nuid.Next() }

// hold has this process answer for a row until release is called.
func (s *Store) hold(key string) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[key]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held[key]--
		if s.held[key] <= 0 {
			delete(s.held, key)
		}
	})
}

// drop ends all holding of a key.
func (s *Store) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, key)
}

func (s *Store) holds(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[key] > 0
}

// answerAlive makes this process answer which of some keys it holds.
func (s *Store) answerAlive(nc *nats.Conn, me Identity) error {
	_, err := nc.Subscribe(aliveRoot+me.writer()+"."+s.token, func(m *nats.Msg) {
		var held []string
		for key := range strings.FieldsSeq(string(m.Data)) {
			if s.holds(key) {
				held = append(held, key)
			}
		}
		respond(m, " "+strings.Join(held, " "))
	})
	if err != nil {
		return err
	}
	return nc.FlushTimeout(attempt) // the node knows it before a row is stored that says so
}

// living returns which of the keys of a holder it holds. One that is connected and silent was
// stopped: it holds all.
func (s *Store) living(ctx context.Context, holder string, keys []string) ([]string, error) {
	writer, token, ok := strings.Cut(holder, ".")
	if !ok || !isToken(writer) || !isToken(token) {
		return nil, nil
	}
	if holder == s.holder() {
		return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !s.holds(key) }), nil
	}
	nc, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	for range 2 { // the server may learn just now that the holder has died
		within, cancel := context.WithTimeout(ctx, attempt/2)
		m, err := exchange(within, nc, aliveRoot+holder, s.back(), []byte(strings.Join(keys, " ")))
		silent := within.Err() != nil
		cancel()
		switch {
		case err == nil:
			return strings.Fields(string(m.Data)), nil
		case errors.Is(err, nats.ErrNoResponders):
			return nil, nil
		case !silent:
			return nil, fmt.Errorf("%w: %w", store.ErrUnreachable, err)
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		}
	}
	_, err = s.streamInfo(ctx, struct{}{}) // else the silence is that of the node
	return keys, err
}

// livesStill reports whether the holder of a row lives. One whose node has just died is asked
// again.
func (s *Store) livesStill(ctx context.Context, r *record) (bool, error) {
	held, err := s.living(ctx, r.holder, []string{r.ID})
	if err != nil || len(held) > 0 || r.holder == "" || r.holder == s.holder() {
		return len(held) > 0, err
	}
	select {
	case <-time.After(doubt):
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	held, err = s.living(ctx, r.holder, []string{r.ID})
	return len(held) > 0, err
}

// setAttended finds out which rows have a living holder, and asks each holder once.
func (s *Store) setAttended(ctx context.Context, rows ...*record) error {
	keys := map[string][]string{}
	for _, r := range rows {
		keys[r.holder] = append(keys[r.holder], r.ID)
	}
	alive, err := s.allLiving(ctx, keys)
	for _, r := range rows {
		r.Attended = alive[r.holder+" "+r.ID]
	}
	return err
}

// allLiving is living for the keys of some holders: it returns those that are held, each after
// its holder and a space.
func (s *Store) allLiving(ctx context.Context, keys map[string][]string) (map[string]bool, error) {
	var mu sync.Mutex
	alive, holders := map[string]bool{}, slices.Collect(maps.Keys(keys))
	return alive, each(len(holders), func(i int) error {
		held, err := s.living(ctx, holders[i], keys[holders[i]])
		mu.Lock()
		defer mu.Unlock()
		for _, key := range held {
			alive[holders[i]+" "+key] = true
		}
		return err
	})
}

// ring wakes the calls that wait, for a subject, or all.
func (s *Store) ring(subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for bell, of := range s.bells {
		if subject == "" || subject == of {
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
	var sub *nats.Subscription
	err = s.repeat(ctx, func(ctx context.Context) error {
		nc, err := s.connected(ctx)
		if err != nil {
			return err
		}
		sub, err = nc.Subscribe(subject, func(*nats.Msg) { s.ring(subject) })
		if err != nil {
			return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
		}
		_ = nc.FlushTimeout(attempt) // a reconnect subscribes again, and rings
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	bell = make(chan struct{}, 1)
	release := s.guarded()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bells[bell] = subject
	return bell, func() {
		_ = sub.Unsubscribe()
		s.mu.Lock()
		delete(s.bells, bell)
		s.mu.Unlock()
		release()
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
			return row, fmt.Errorf("%w (%w)", store.ErrLost, err)
		case err == nil && row.Outcome != nil, err != nil && (lost || !errors.Is(err, store.ErrUnreachable)), ctx.Err() != nil:
			return row, err
		}
		known = known || err == nil
		again := lookAgain
		if err != nil {
			again = doubt
		}
		select {
		case <-bell:
		case <-time.After(again):
		case <-ctx.Done():
			return store.Row{}, context.Cause(ctx)
		}
	}
}

// Revision implements [store.Store].
func (s *Store) Revision(ctx context.Context) (last store.Revision, err error) {
	err = s.repeat(ctx, func(ctx context.Context) error {
		info, err := s.streamInfo(ctx, struct{}{})
		last.Own = int64(info.State.LastSeq)
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
	go func() {
		defer close(bell)
		defer stop()
		defer leave()
		tick := time.NewTicker(lookAgain)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.ring(bellRoot + ">")
			case <-ctx.Done():
				return
			}
		}
	}()
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

// respond answers a request. One that names another subject would have this process write
// anywhere.
func respond(m *nats.Msg, text string) {
	if strings.HasPrefix(m.Reply, backRoot) {
		_ = m.Respond([]byte(text))
	}
}

// Present implements [store.Store].
func (s *Store) Present(ctx context.Context) (names []string, err error) {
	err = s.repeat(ctx, func(ctx context.Context) error {
		nc, err := s.connected(ctx)
		if err != nil {
			return err
		}
		names = nil
		return gather(ctx, nc, presentRoot+s.identity().writer(), s.back(), nil, func(m *nats.Msg) {
			names = append(names, string(m.Data))
		})
	})
	slices.Sort(names)
	return slices.Compact(names), err
}
