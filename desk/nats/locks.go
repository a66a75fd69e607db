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

// holder is this process as a holder of locks. A lock is a document: the holder's name,
// a dot and a word of its own. While it is connected the holder answers for it on
// alive.<writer>.<name>, where no other credential can. A holder that does not answer is
// dead or cut off, and its lock is taken over; after a reconnect it checks which locks
// it still has.
type holder struct {
	name string
	held sync.Map // locks, by the text of their documents
}

// lock is a lock that this process holds, or is taking.
type lock struct {
	place place
	taken bool
}

// has reports whether a lock is held, or being taken.
func (h *holder) has(text string) bool {
	_, ok := h.held.Load(text)
	return ok
}

// lockPlace is where a lock is: with the owner of its record, or with this credential
// where it belongs to none.
func (s *Store) lockPlace(ctx context.Context, kind desk.Kind, name string) (place, error) {
	if err := desk.Admit(ctx, name, desk.ValidName); err != nil {
		return place{}, err
	}
	if id := desk.RecordOf(name); kind == desk.KindAskers && desk.ValidID(id) {
		p, err := s.placeOf(ctx, kind, id)
		p.name = name
		return p, err
	}
	me, err := s.awaitIdentity(ctx)
	return place{areaAsk, string(kind), me.writer(), name}, err
}

// Lock implements desk.Store.
func (s *Store) Lock(ctx context.Context, kind desk.Kind, name string) (release func(), err error) {
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
			if err == nil && !taken && !ours { // its node may just have died: ask again
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
		s.locks.held.Store(mine, lock{place: p}) // before it is stored: another process may ask for it at once
		err = s.create(ctx, creation{place: p, subject: subject, data: []byte(mine), replaces: m.Seq})
		if err == nil {
			s.locks.held.Store(mine, lock{p, true})
			return sync.OnceFunc(func() { s.release(p, mine) }), nil
		}
		s.locks.held.Delete(mine)
		if !errors.Is(err, desk.ErrExists) {
			return nil, err
		}
	}
}

// release releases a lock. Where the desk does not answer it is enough that this
// process no longer answers for it.
func (s *Store) release(p place, mine string) {
	s.locks.held.Delete(mine)
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	m, err := s.last(ctx, p)
	if err == nil && m.exists() && string(m.Data) == mine {
		err = s.remove(ctx, p, &m)
	}
	if err != nil {
		s.log.Debug("a lock that was released is still stored", "name", p.name, "error", err)
	}
}

// answerForLocks makes this process answer for its locks.
func (s *Store) answerForLocks(nc *natsgo.Conn, me Identity) error {
	_, err := nc.Subscribe(aliveArea+me.writer()+"."+s.locks.name, func(m *natsgo.Msg) {
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
		return err
	}
	return nc.FlushTimeout(requestTimeout) // the node knows it before a lock says so
}

// The subjects on which holders are asked, and on which they answer.
const (
	aliveArea = "alive."
	backArea  = "back."
)

// askHolder asks a holder. It answers on a subject of this request alone, which is no
// inbox: a holder learns the name, and may write there.
func (c *conn) askHolder(ctx context.Context, m *natsgo.Msg) (*natsgo.Msg, error) {
	answers, err := ask(c.current(), m.Subject, backArea+c.identity().writer()+"."+nuid.Next(), string(m.Data))
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }()
	answer, err := answers.NextMsgWithContext(ctx)
	if err == nil && len(answer.Data) == 0 && answer.Header.Get("Status") == "503" {
		err = natsgo.ErrNoResponders
	}
	return answer, err
}

// heldByte is how a holder says that a lock is its own.
const heldByte = '1'

// isHeld is areHeld for one lock.
func (s *Store) isHeld(ctx context.Context, lock *message) (bool, error) {
	held, err := s.areHeld(ctx, []message{*lock})
	return held[0], err
}

// areHeld reports which locks are held. A holder is asked once for all of its locks;
// one that subscribes and does not answer was stopped: it holds them.
func (s *Store) areHeld(ctx context.Context, locks []message) ([]bool, error) {
	type holder struct{ writer, name string }
	held, words, locksOf := make([]bool, len(locks)), make([]string, len(locks)), map[holder][]int{}
	for i, m := range locks {
		name, word, ok := strings.Cut(string(m.Data), ".")
		switch {
		case !ok || !m.exists() || !desk.ValidName(name): // not written by us
		case name == s.locks.name:
			held[i] = s.locks.has(string(m.Data))
		default:
			of := holder{m.By.name, name}
			words[i], locksOf[of] = word, append(locksOf[of], i)
		}
	}
	holders := slices.Collect(maps.Keys(locksOf))
	return held, each(len(holders), func(n int) error {
		of := locksOf[holders[n]]
		var asked []string
		for _, i := range of {
			asked = append(asked, words[i])
		}
		ask := &natsgo.Msg{Subject: aliveArea + holders[n].writer + "." + holders[n].name, Data: []byte(strings.Join(asked, " "))}
		return s.repeat(ctx, requestTimeout, func(wait time.Duration) (bool, error) {
			m, err := s.request(ctx, wait, ask)
			stopped := errors.Is(err, natsgo.ErrTimeout) || errors.Is(err, context.DeadlineExceeded)
			switch {
			case err == nil, stopped:
				for at, i := range of {
					held[i] = stopped || at < len(m.Data) && m.Data[at] == heldByte
				}
				return true, nil
			case errors.Is(err, natsgo.ErrNoResponders):
				return true, nil
			}
			return errors.Is(err, desk.ErrDenied), unreachable(err)
		})
	})
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

// Locks implements desk.Store. The lock of an inbox or a page counts under a human's
// credential, or this one. Stale locks of this credential are removed where names are
// never used again; a holder that was only cut off takes its own again.
func (s *Store) Locks(ctx context.Context, kind desk.Kind) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	found, err := s.places(ctx, StreamDesk, allOf(areaAsk, string(kind)))
	if err != nil {
		return nil, err
	}
	me := s.identity().writer()
	at := slices.DeleteFunc(slices.Collect(maps.Keys(found)), func(p place) bool {
		return kind == desk.KindPresent && !isHuman(p.owner) && p.owner != me
	})
	locks, err := s.lasts(ctx, at)
	if err != nil {
		return nil, err
	}
	taken, err := s.areHeld(ctx, locks)
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

// recheckLocks checks, after a reconnect, whether the locks of this process are still
// its own. One that was taken over is lost; one that was removed, as this process seemed
// dead, is taken again. One that is being taken is left to Lock.
func (s *Store) recheckLocks() {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	for key, value := range s.locks.held.Range {
		mine, l := key.(string), value.(lock)
		if !l.taken {
			continue
		}
		m, err := s.last(ctx, l.place)
		if err == nil && !m.exists() && s.locks.has(mine) {
			m.Data = []byte(mine)
			err = s.create(ctx, creation{place: l.place, subject: l.place.by(s.identity().writer()), data: m.Data, replaces: m.Seq})
		}
		if errors.Is(err, desk.ErrExists) || err == nil && string(m.Data) != mine {
			s.locks.held.Delete(mine)
		}
	}
}
