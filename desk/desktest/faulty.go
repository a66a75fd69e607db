package desktest

import (
	"context"
	"iter"
	"sync"

	"mcp-askuser/desk/store"
)

// Call is a call of a store: the name of its method, and of what it is about.
type Call struct {
	Method string
	ID     string     // of the row, where the call has one
	Note   store.Note // of a call of Note
}

// Faulty is a store whose calls a test fails, or holds.
type Faulty struct {
	store.Store

	mu     sync.Mutex
	before func(context.Context, Call) error
	rows   error
	after  int // how many rows a failing Rows yields first
	lost   map[string]bool
}

// Before has each call begin with f, whose error is that of the call, until the next Before;
// nil has none.
func (s *Faulty) Before(f func(context.Context, Call) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// Fail has the calls of a method fail, and no others, until the next Before or Fail.
func (s *Faulty) Fail(method string, err error) {
	s.Before(func(_ context.Context, c Call) error {
		if c.Method != method {
			return nil
		}
		return err
	})
}

// FailAnswers has Answer fail, until it is called with nil.
func (s *Faulty) FailAnswers(err error) { s.Fail("Answer", err) }

// FailRows has Rows fail after so many rows, until it is called with nil.
func (s *Faulty) FailRows(after int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after, s.rows = after, err
}

// Lose has a row be gone for those who read it.
func (s *Faulty) Lose(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = map[string]bool{id: true}
}

func (s *Faulty) isLost(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost[id]
}

func (s *Faulty) begin(ctx context.Context, c Call) error {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	if before == nil {
		return nil
	}
	return before(ctx, c)
}

// Ask implements [store.Store].
func (s *Faulty) Ask(ctx context.Context, row store.Row) (store.Row, error) {
	err := s.begin(ctx, Call{Method: "Ask", ID: row.ID})
	if err != nil {
		return row, err
	}
	return s.Store.Ask(ctx, row)
}

// Attend implements [store.Store].
func (s *Faulty) Attend(ctx context.Context, id string) (store.Row, error) {
	err := s.begin(ctx, Call{Method: "Attend", ID: id})
	if err != nil {
		return store.Row{}, err
	}
	return s.Store.Attend(ctx, id)
}

// Answer implements [store.Store].
func (s *Faulty) Answer(ctx context.Context, id string, end store.Ending) error {
	err := s.begin(ctx, Call{Method: "Answer", ID: id})
	if err != nil {
		return err
	}
	return s.Store.Answer(ctx, id, end)
}

// Release implements [store.Store].
func (s *Faulty) Release(ctx context.Context, id string) error {
	err := s.begin(ctx, Call{Method: "Release", ID: id})
	if err != nil {
		return err
	}
	return s.Store.Release(ctx, id)
}

// Delivered implements [store.Store].
func (s *Faulty) Delivered(ctx context.Context, id string) error {
	err := s.begin(ctx, Call{Method: "Delivered", ID: id})
	if err != nil {
		return err
	}
	return s.Store.Delivered(ctx, id)
}

// Note implements [store.Store].
func (s *Faulty) Note(ctx context.Context, id string, n store.Note, change func([]byte) ([]byte, error)) error {
	err := s.begin(ctx, Call{Method: "Note", ID: id, Note: n})
	if err != nil {
		return err
	}
	return s.Store.Note(ctx, id, n, change)
}

// Get implements [store.Store].
func (s *Faulty) Get(ctx context.Context, id string) (store.Row, error) {
	err := s.begin(ctx, Call{Method: "Get", ID: id})
	if err != nil {
		return store.Row{}, err
	}
	if s.isLost(id) {
		return store.Row{}, store.ErrNotFound
	}
	return s.Store.Get(ctx, id)
}

// Rows implements [store.Store].
func (s *Faulty) Rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		err := s.begin(ctx, Call{Method: "Rows"})
		if err != nil {
			yield(store.Row{}, err)
			return
		}
		s.mu.Lock()
		fails, left := s.rows, s.after
		s.mu.Unlock()
		for row, err := range s.Store.Rows(ctx, q) {
			if fails != nil && left == 0 {
				break
			}
			left--
			if !s.isLost(row.ID) && !yield(row, err) {
				return
			}
		}
		if fails != nil && left == 0 {
			yield(store.Row{}, fails)
		}
	}
}

// Wait implements [store.Store].
func (s *Faulty) Wait(ctx context.Context, id string) (store.Row, error) {
	err := s.begin(ctx, Call{Method: "Wait", ID: id})
	if err != nil {
		return store.Row{}, err
	}
	return s.Store.Wait(ctx, id)
}

// Changes implements [store.Store].
func (s *Faulty) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	err := s.begin(ctx, Call{Method: "Changes"})
	if err != nil {
		return nil, err
	}
	return s.Store.Changes(ctx, name)
}

// Present implements [store.Store].
func (s *Faulty) Present(ctx context.Context, id string) ([]string, error) {
	err := s.begin(ctx, Call{Method: "Present", ID: id})
	if err != nil {
		return nil, err
	}
	return s.Store.Present(ctx, id)
}
