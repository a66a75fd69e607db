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
// alive.<writer>.<name>, where no other credential can, as long as it is connected; one for whom nobody answers is dead,
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
	place place
	taken bool
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

// lockPlace is where a lock is: of the owner of the record that it is about, or
// of nobody's record, of this credential.
func (s *Store) lockPlace(ctx context.Context, kind desk.Kind, name string) (place, error) {
	if err := desk.Admit(ctx, name, desk.ValidName); err != nil {
		return place{}, err
	}
	if id := recordOf(name); kind == desk.KindAskers && desk.ValidID(id) {
		p, err := s.placeOf(ctx, kind, id)
		p.name = name
		return p, err
	}
	me, err := s.awaitIdentity(ctx)
	return place{areaAsk, string(kind), me.writer(), name}, err
}

// Lock implements desk.Store.
func (s *Store) Lock(ctx context.Context, kind desk.Kind, name string) (release func(), err error) {
	if err := desk.Admit(ctx, name, desk.ValidName); err != nil {
		return nil, err
	}
	if err := s.serveLocks(ctx); err != nil {
		return nil, err
	}
	p, err := s.lockPlace(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	subject, err := s.ownSubject(p)
	if err != nil {
		return nil, err
	}
	for {
		m, err := s.last(ctx, p)
		if err != nil {
			return nil, err
		}
		if m.exists() {
			taken, err := s.isHeld(ctx, &m)
			ours := strings.HasPrefix(string(m.Data), s.locks.name+".")
			if err == nil && !taken && !ours { // a holder whose node has just died is back in a moment
				select {
				case <-time.After(requestTimeout / 4):
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
				taken, err = s.isHeld(ctx, &m)
			}
			if err != nil {
				return nil, err
			}
			if taken {
				return nil, desk.ErrLocked
			}
		}
		mine := s.locks.name + "." + nuid.Next()
		s.locks.put(mine, lock{place: p}) // before it is there: somebody may ask for it at once
		err = s.create(ctx, creation{place: p, subject: subject, data: []byte(mine), replaces: m.Seq})
		if err == nil {
			s.locks.put(mine, lock{p, true})
			return sync.OnceFunc(func() { s.release(p, mine) }), nil
		}
		s.locks.drop(mine)
		if !errors.Is(err, desk.ErrExists) {
			return nil, err
		}
	}
}

// release gives a lock up. Where the desk does not answer it is enough that
// nobody answers for it any more.
func (s *Store) release(p place, mine string) {
	s.locks.drop(mine)
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	m, err := s.last(ctx, p)
	if err == nil && m.exists() && string(m.Data) == mine {
		err = s.remove(ctx, p, &m)
	}
	if err != nil {
		s.log.Debug("a lock is left to whoever wants it next", "name", p.name, "error", err)
	}
}

// serveLocks has this process answer for its locks.
func (s *Store) serveLocks(ctx context.Context) error {
	return s.repeat(ctx, readTimeout, func(time.Duration) (bool, error) {
		nc, err := s.connected(ctx)
		if err == nil {
			err = s.subscribe(nc)
		}
		return err == nil || errors.Is(err, desk.ErrDenied), err
	})
}

// subscribe is serveLocks on a connection.
func (s *Store) subscribe(nc *natsgo.Conn) error {
	s.locks.mu.Lock()
	defer s.locks.mu.Unlock()
	if s.locks.answering {
		return nil
	}
	sub, err := nc.Subscribe(aliveArea+s.whoAmI().writer()+"."+s.locks.name, func(m *natsgo.Msg) {
		if !strings.HasPrefix(m.Reply, backArea) { // or another would have us write anywhere
			return
		}
		var reply []byte
		for word := range strings.FieldsSeq(string(m.Data)) {
			reply = append(reply, map[bool]byte{true: heldByte, false: '0'}[s.locks.has(s.locks.name+"."+word)])
		}
		_ = m.Respond(reply)
	})
	if err != nil {
		return unreachable(err)
	}
	if err := nc.FlushTimeout(requestTimeout); err != nil { // the node knows it before a lock says so
		_ = sub.Unsubscribe()
		return unreachable(err)
	}
	s.locks.answering = true
	return nil
}

// Where holders are asked, and where they answer.
const (
	aliveArea = "alive."
	backArea  = "back."
)

// backs is where holders answer to this process. It is no inbox: a holder learns its
// name, and may write there.
type backs struct {
	mu      sync.Mutex
	prefix  string // of the subjects; empty until the first is needed
	waiting map[string]chan *natsgo.Msg
}

// begin returns a subject, and what arrives on it until end is called.
func (b *backs) begin(nc *natsgo.Conn, me Identity) (subject string, answer <-chan *natsgo.Msg, end func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.prefix == "" {
		prefix := backArea + me.writer() + "." + nuid.Next() + "."
		if _, err := nc.Subscribe(prefix+"*", b.arrive); err != nil {
			return "", nil, nil, err
		}
		b.prefix, b.waiting = prefix, map[string]chan *natsgo.Msg{}
	}
	subject = b.prefix + nuid.Next()
	arrived := make(chan *natsgo.Msg, 1)
	b.waiting[subject] = arrived
	return subject, arrived, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, subject)
	}, nil
}

func (b *backs) arrive(m *natsgo.Msg) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.waiting[m.Subject] <- m:
	default: // nobody waits for it any more
	}
}

// askHolder asks a holder.
func (c *conn) askHolder(ctx context.Context, m *natsgo.Msg) (*natsgo.Msg, error) {
	nc := c.current()
	back, answer, end, err := c.backs.begin(nc, c.whoAmI())
	if err != nil {
		return nil, err
	}
	defer end()
	if err := nc.PublishRequest(m.Subject, back, m.Data); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
			return nil, natsgo.ErrNoResponders
		}
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// heldByte is how a holder says that a lock is its own.
const heldByte = '1'

// isHeld is heldBy for one lock.
func (s *Store) isHeld(ctx context.Context, lock *message) (bool, error) {
	name, word, _ := strings.Cut(string(lock.Data), ".")
	has, err := s.heldBy(ctx, lock.By.name, name, []string{word})
	return err == nil && has[0], err
}

// heldBy reports which locks a holder answers for, a process with the credential
// of a writer. One that is there and says
// nothing was stopped: it holds them.
func (s *Store) heldBy(ctx context.Context, by, name string, words []string) ([]bool, error) {
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
	ask := &natsgo.Msg{Subject: aliveArea + by + "." + name, Data: []byte(strings.Join(words, " "))}
	err := s.repeat(ctx, requestTimeout, func(wait time.Duration) (bool, error) {
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
	p, err := s.lockPlace(ctx, kind, name)
	if errors.Is(err, desk.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	m, err := s.last(ctx, p)
	if err != nil || !m.exists() {
		return false, err
	}
	return s.isHeld(ctx, &m)
}

// Locks implements desk.Store. That an inbox or a page is open a human's
// credential says, or this one. Its locks of the dead are removed where names are
// never used again; a holder that was only cut off takes its own anew.
func (s *Store) Locks(ctx context.Context, kind desk.Kind) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	found, err := s.places(ctx, StreamDesk, allOf(areaAsk, string(kind)))
	if err != nil {
		return nil, err
	}
	me := s.whoAmI().writer()
	at := slices.DeleteFunc(slices.Collect(maps.Keys(found)), func(p place) bool {
		return kind == desk.KindPresent && !isHuman(p.owner) && p.owner != me
	})
	locks, err := s.lasts(ctx, at)
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
			held = append(held, at[i].name)
		case m.exists() && kind == desk.KindPresent && m.By.name == me:
			_ = s.remove(ctx, at[i], &m)
		}
	}
	return held, nil
}

// holders reports which locks are held: a holder is asked once for all of its
// locks.
func (s *Store) holders(ctx context.Context, locks []message) ([]bool, error) {
	type process struct{ by, name string }
	byHolder, words := map[process][]int{}, make([]string, len(locks))
	for i, m := range locks {
		if name, word, ok := strings.Cut(string(m.Data), "."); ok && m.exists() {
			of := process{m.By.name, name}
			byHolder[of], words[i] = append(byHolder[of], i), word
		}
	}
	all, taken := slices.Collect(maps.Keys(byHolder)), make([]bool, len(locks))
	errs := make([]error, len(all))
	each(len(all), func(n int) {
		var of []string
		for _, i := range byHolder[all[n]] {
			of = append(of, words[i])
		}
		has, err := s.heldBy(ctx, all[n].by, all[n].name, of)
		errs[n] = err
		for at, i := range byHolder[all[n]] {
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
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	for mine, l := range all {
		if !l.taken {
			continue
		}
		m, err := s.last(ctx, l.place)
		if err == nil && !m.exists() && s.locks.has(mine) {
			m.Data = []byte(mine)
			err = s.create(ctx, creation{place: l.place, subject: l.place.by(s.whoAmI().writer()), data: m.Data, replaces: m.Seq})
		}
		if errors.Is(err, desk.ErrExists) || err == nil && string(m.Data) != mine {
			s.locks.drop(mine)
		}
	}
}
