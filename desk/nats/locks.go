package nats

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"mcp-askuser/desk"
)

// holder is this process as one that holds locks. A lock is a document with
// the holder's name and a word of its own. The holder answers for it under
// alive.<name> as long as it is connected; one for whom nobody answers is dead,
// or cut off, and its lock is taken over. When it is back it looks whether its
// locks are still its own.
type holder struct {
	name string

	mu        sync.Mutex
	held      map[string]lock // by what stands there: the name, a dot, the word
	answering bool
}

// lock is one that this process holds, or is taking.
type lock struct {
	subject string
	taken   bool
}

// has reports whether a lock is held, or being taken.
func (h *holder) has(stands string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.held[stands]
	return ok
}

// put notes a lock.
func (h *holder) put(stands string, l lock) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[stands] = l
}

// drop is for a lock that is not held any more, or could not be taken.
func (h *holder) drop(stands string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, stands)
}

// Lock implements desk.Store.
func (s *Store) Lock(ctx context.Context, kind desk.Kind, name string) (release func(), err error) {
	if err := desk.Admit(ctx, name, desk.ValidName); err != nil {
		return nil, err
	}
	if err := s.answer(ctx); err != nil {
		return nil, err
	}
	subject := subjectOf(kind, name)
	for {
		m, err := s.last(ctx, StreamDesk, subject)
		if err != nil {
			return nil, err
		}
		if m.there() {
			taken, err := s.alive(ctx, m.Data)
			ours := strings.HasPrefix(string(m.Data), s.locks.name+".")
			if err == nil && !taken && !ours { // a holder whose node has just died is back in a moment
				select {
				case <-time.After(attempt / 4):
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
				taken, err = s.alive(ctx, m.Data)
			}
			if err != nil {
				return nil, err
			}
			if taken {
				return nil, desk.ErrLocked
			}
		}
		mine := s.locks.name + "." + nuid.Next()
		s.locks.put(mine, lock{subject: subject}) // before it is there: somebody may ask for it at once
		err = s.create(ctx, creation{stream: StreamDesk, subject: subject, data: []byte(mine), over: m.Seq})
		if err == nil {
			s.locks.put(mine, lock{subject, true})
			return sync.OnceFunc(func() { s.release(subject, mine) }), nil
		}
		s.locks.drop(mine)
		if !errors.Is(err, desk.ErrExists) {
			return nil, err
		}
	}
}

// release gives a lock up. Where the desk does not answer it is enough that
// nobody answers for it any more.
func (s *Store) release(subject, mine string) {
	s.locks.drop(mine)
	ctx, cancel := context.WithTimeout(context.Background(), attempt)
	defer cancel()
	m, err := s.last(ctx, StreamDesk, subject)
	if err == nil && m.there() && string(m.Data) == mine {
		err = s.remove(ctx, &m)
	}
	if err != nil {
		s.log.Debug("a lock is left to whoever wants it next", "subject", subject, "error", err)
	}
}

// answer has this process answer for its locks.
func (s *Store) answer(ctx context.Context) error {
	return s.repeat(ctx, patience, func(time.Duration) (bool, error) {
		nc, err := s.connected(ctx)
		if err == nil {
			err = s.subscribe(nc)
		}
		return err == nil || errors.Is(err, desk.ErrDenied), err
	})
}

// subscribe is answer on a connection.
func (s *Store) subscribe(nc *natsgo.Conn) error {
	s.locks.mu.Lock()
	defer s.locks.mu.Unlock()
	if s.locks.answering {
		return nil
	}
	sub, err := nc.Subscribe("alive."+s.locks.name, func(m *natsgo.Msg) {
		var reply []byte
		for word := range strings.FieldsSeq(string(m.Data)) {
			reply = append(reply, map[bool]byte{true: heldByte, false: '0'}[s.locks.has(s.locks.name+"."+word)])
		}
		_ = m.Respond(reply)
	})
	if err != nil {
		return unreachable(err)
	}
	if err := nc.FlushTimeout(attempt); err != nil { // the node knows it before a lock says so
		_ = sub.Unsubscribe()
		return unreachable(err)
	}
	s.locks.answering = true
	return nil
}

// heldByte is how a holder says that a lock is its own.
const heldByte = '1'

// alive is aliveAll for one lock.
func (s *Store) alive(ctx context.Context, lock []byte) (bool, error) {
	name, word, _ := strings.Cut(string(lock), ".")
	has, err := s.aliveAll(ctx, name, []string{word})
	return err == nil && has[0], err
}

// aliveAll reports which locks a holder answers for. One that is there and says
// nothing was stopped: it holds them.
func (s *Store) aliveAll(ctx context.Context, name string, words []string) ([]bool, error) {
	has := make([]bool, len(words))
	if !desk.ValidName(name) {
		return has, nil // not written by us
	}
	if name == s.locks.name {
		for i, word := range words {
			has[i] = s.locks.has(name + "." + word)
		}
		return has, nil
	}
	ask := &natsgo.Msg{Subject: "alive." + name, Data: []byte(strings.Join(words, " "))}
	err := s.repeat(ctx, attempt, func(wait time.Duration) (bool, error) {
		m, err := s.request(ctx, wait, ask)
		switch {
		case err == nil:
			for i := range has {
				has[i] = i < len(m.Data) && m.Data[i] == heldByte
			}
			return true, nil
		case errors.Is(err, natsgo.ErrNoResponders):
			return true, nil
		case errors.Is(err, natsgo.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
			for i := range has {
				has[i] = true
			}
			return true, nil
		}
		return errors.Is(err, desk.ErrDenied), unreachable(err)
	})
	return has, err
}

// Locked implements desk.Store.
func (s *Store) Locked(ctx context.Context, kind desk.Kind, name string) (bool, error) {
	if err := desk.Admit(ctx, name, desk.ValidName); err != nil {
		return false, err
	}
	m, err := s.last(ctx, StreamDesk, subjectOf(kind, name))
	if err != nil || !m.there() {
		return false, err
	}
	return s.alive(ctx, m.Data)
}

// Locks implements desk.Store. Locks of the dead are removed where names are
// never used again; a holder that was only cut off takes its own anew.
func (s *Store) Locks(ctx context.Context, kind desk.Kind) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	names, err := s.names(ctx, StreamDesk, subjectOf(kind, "*"))
	if err != nil {
		return nil, err
	}
	locks, err := s.lasts(ctx, kind, names)
	if err != nil {
		return nil, err
	}
	taken, err := s.holders(ctx, locks)
	if err != nil {
		return nil, err
	}
	var held []string
	for i, m := range locks {
		switch {
		case taken[i]:
			held = append(held, names[i])
		case m.there() && kind == desk.KindPresent:
			_ = s.remove(ctx, &m)
		}
	}
	return held, nil
}

// holders reports which locks are held: a holder is asked once for all of its
// locks.
func (s *Store) holders(ctx context.Context, locks []message) ([]bool, error) {
	byHolder, words := map[string][]int{}, make([]string, len(locks))
	for i, m := range locks {
		if name, word, ok := strings.Cut(string(m.Data), "."); ok && m.there() {
			byHolder[name], words[i] = append(byHolder[name], i), word
		}
	}
	names, taken := slices.Collect(maps.Keys(byHolder)), make([]bool, len(locks))
	errs := make([]error, len(names))
	each(len(names), func(n int) {
		var of []string
		for _, i := range byHolder[names[n]] {
			of = append(of, words[i])
		}
		has, err := s.aliveAll(ctx, names[n], of)
		errs[n] = err
		for at, i := range byHolder[names[n]] {
			taken[i] = has[at]
		}
	})
	return taken, errors.Join(errs...)
}

// recheckLocks looks, after a reconnect, whether the locks of this process are
// still its own. One that was taken over is lost; one that was taken away, for
// this process seemed dead, is taken anew. What is being taken is the business of
// whoever takes it.
func (s *Store) recheckLocks() {
	s.locks.mu.Lock()
	all := maps.Clone(s.locks.held)
	s.locks.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), certainty)
	defer cancel()
	for mine, l := range all {
		if !l.taken {
			continue
		}
		m, err := s.last(ctx, StreamDesk, l.subject)
		if err == nil && !m.there() && s.locks.has(mine) {
			m.Data = []byte(mine)
			err = s.create(ctx, creation{stream: StreamDesk, subject: l.subject, data: m.Data, over: m.Seq})
		}
		if errors.Is(err, desk.ErrExists) || err == nil && string(m.Data) != mine {
			s.locks.drop(mine)
		}
	}
}
