package nats

import (
	"context"
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mcp-askuser/desk"
)

// indexMutex is the mutex of an index, which few others share. Goroutines that change
// the same index take turns: they would only make each other repeat.
func (s *Store) indexMutex(subject string) *sync.Mutex {
	return &s.turns[maphash.String(s.seed, subject)%uint64(len(s.turns))]
}

// Mark implements desk.Store.
func (s *Store) Mark(ctx context.Context, mark desk.Mark, name, id string) error {
	return s.change(ctx, mark, name, id, true)
}

// Unmark implements desk.Store.
func (s *Store) Unmark(ctx context.Context, mark desk.Mark, name, id string) error {
	return s.change(ctx, mark, name, id, false)
}

// change puts an id into the list of a name, or takes it out, and repeats that where
// another process changed the list meanwhile, or where it is uncertain whether this one
// did: to mark twice is to mark.
func (s *Store) change(ctx context.Context, mark desk.Mark, name, id string, in bool) error {
	if err := errors.Join(desk.Admit(ctx, name, desk.ValidName), desk.Admit(ctx, id, desk.ValidID)); err != nil {
		return err
	}
	owner, err := s.owner(ctx, id)
	if err != nil {
		return err
	}
	p := markPlace(owner, mark, name)
	subject, err := s.ownSubject(p)
	if err != nil {
		return err
	}
	turn := s.indexMutex(subject)
	turn.Lock()
	defer turn.Unlock()
	return s.repeat(ctx, writeTimeout, func(time.Duration) (bool, error) {
		m, err := s.last(ctx, p)
		if err != nil {
			return errors.Is(err, desk.ErrDenied), err
		}
		ids := m.ids()
		i, found := slices.BinarySearch(ids, id)
		switch {
		case in == found:
			return true, nil
		case in:
			ids = slices.Insert(ids, i, id)
		default:
			ids = slices.Delete(ids, i, i+1)
		}
		w := creation{place: p, subject: subject, replaces: m.Seq, data: []byte(strings.Join(ids, "\n"))}
		if mark == desk.MarkSessions || mark == desk.MarkLifted {
			w.ttl = keepMarks
		}
		if len(ids) == 0 {
			w = deletion(p, subject, &m)
		}
		err = s.create(ctx, w)
		return !errors.Is(err, desk.ErrExists) && !errors.Is(err, desk.ErrUncertain), err
	})
}

// Marks implements desk.Store. An agent has its own indexes, a human those of all
// owners.
func (s *Store) Marks(ctx context.Context, mark desk.Mark, name string) ([]string, error) {
	if err := desk.Admit(ctx, name, desk.ValidName); err != nil {
		return nil, err
	}
	me, err := s.awaitIdentity(ctx)
	if err != nil {
		return nil, err
	}
	at := []place{markPlace(me.writer(), mark, name)}
	if me.Human {
		found, err := s.places(ctx, StreamDesk, markPlace("*", mark, name).filter())
		if err != nil {
			return nil, err
		}
		at = slices.Collect(maps.Keys(found))
	}
	var ids []string
	lists, err := s.lasts(ctx, at)
	for i, m := range lists {
		for _, id := range m.ids() {
			if desk.ValidID(id) && desk.OwnedBy(id, at[i].owner) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids, err
}

func markPlace(owner string, mark desk.Mark, name string) place {
	return place{areaAsk, kindMark, owner, string(mark) + "." + name}
}

// ids are those in an index.
func (m *message) ids() []string {
	if !m.exists() {
		return nil
	}
	return strings.Split(string(m.Data), "\n")
}
