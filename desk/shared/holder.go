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

// holder is the name of this process as a holder: only its credential can answer under it.
func (s *Store) holder() string { return s.identity().writer() + "." + s.token }

// back is a subject for the answers of other processes.
func (s *Store) back() string { return backRoot + s.identity().writer() + "." + nuid.Next() }

// holds reports whether this process answers for a row.
func (s *Store) holds(key string) bool {
	_, held := s.held.Load(key)
	return held
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

// living returns which of the keys of a holder it holds. One that is connected and silent, twice
// for so long, was stopped, or its machine sleeps: it holds all.
func (s *Store) living(ctx context.Context, holder string, keys []string, silence time.Duration) ([]string, error) {
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
		within, cancel := context.WithTimeout(ctx, silence)
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

// setAttended finds out which rows have a living holder, and asks each holder once. A list does
// not wait for those that are stopped.
func (s *Store) setAttended(ctx context.Context, rows ...*record) error {
	keys := map[string][]string{}
	for _, r := range rows {
		keys[r.Holder] = append(keys[r.Holder], r.ID)
	}
	var mu sync.Mutex
	alive, holders := map[string]bool{}, slices.Collect(maps.Keys(keys))
	err := each(len(holders), func(i int) error {
		held, err := s.living(ctx, holders[i], keys[holders[i]], doubt/4)
		mu.Lock()
		defer mu.Unlock()
		for _, key := range held {
			alive[holders[i]+" "+key] = true
		}
		return err
	})
	for _, r := range rows {
		r.Attended = alive[r.Holder+" "+r.ID]
	}
	return err
}

// respond answers a request. One that names another subject would have this process write
// anywhere.
func respond(m *nats.Msg, text string) {
	if strings.HasPrefix(m.Reply, backRoot) {
		_ = m.Respond([]byte(text))
	}
}
