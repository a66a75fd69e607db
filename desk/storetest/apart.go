package storetest

import (
	"context"
	"sync"

	"mcp-askuser/desk"
)

// Apart is a store that can be out of reach for answers, and keeps the answers of
// that time, as a [desk.Keeper] does.
type Apart struct {
	desk.Store
	mu     sync.Mutex
	off    bool
	queued map[string][]byte
}

// Off puts the store out of reach.
func (s *Apart) Off() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off, s.queued = true, map[string][]byte{}
}

// On sends the queued answers.
func (s *Apart) On(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = false
	for id, data := range s.queued {
		if err := s.Store.Decide(ctx, id, desk.RoleHuman, data); err != nil {
			return err
		}
		delete(s.queued, id)
	}
	return nil
}

// Queue implements desk.Keeper.
func (s *Apart) Queue(context.Context, string, []byte) error { return desk.ErrUnsent }

// Home implements desk.Keeper.
func (s *Apart) Home(string) string { return "" }

// LocalOutcome implements desk.Keeper.
func (s *Apart) LocalOutcome(id string) (outcome []byte, queued bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	outcome, queued = s.queued[id]
	return outcome, queued
}

// KeepStatement implements desk.Keeper.
func (s *Apart) KeepStatement(context.Context, string, string) {}

// Statement implements desk.Keeper.
func (s *Apart) Statement(string) string { return "" }

// Decide implements desk.Store.
func (s *Apart) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.off {
		return s.Store.Decide(ctx, id, role, data)
	}
	s.queued[id] = data
	return desk.ErrUnsent
}
