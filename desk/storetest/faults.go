package storetest

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"mcp-askuser/desk"
)

// ErrFault is what a step returns at which a [Faulty] store fails.
var ErrFault = errors.New("the store fails on command")

// Faulty is a store that fails at one of its steps: step 2n-1 is before the n-th
// call, which then does nothing; step 2n is after it, and its result is lost. A
// listing has one step. Bells and watches do not fail.
type Faulty struct {
	desk.Store

	mu   sync.Mutex
	err  error
	step int
	fail int
	dies bool // no call after the step does anything
	met  bool
}

// FailAt has the store fail with err at a step, counted from now on; 0 is none. A
// store that dies does nothing from there on, as for a process that has ended.
func (s *Faulty) FailAt(step int, err error, dies bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step, s.fail, s.err, s.dies, s.met = 0, step, err, dies, false
}

// Met reports whether the step was reached.
func (s *Faulty) Met() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.met
}

// next is the fault of a step.
func (s *Faulty) next() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step++; s.step == s.fail {
		s.met = true
		return s.err
	}
	if s.met && s.dies {
		return s.err
	}
	return nil
}

// at makes a call between two steps.
func (s *Faulty) at(call func() error) error {
	if err := s.next(); err != nil {
		return err
	}
	err := call()
	return cmp.Or(s.next(), err)
}

// Create implements desk.Store.
func (s *Faulty) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	return s.at(func() error { return s.Store.Create(ctx, kind, id, data) })
}

// Decide implements desk.Store.
func (s *Faulty) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	return s.at(func() error { return s.Store.Decide(ctx, id, role, data) })
}

// Put implements desk.Store.
func (s *Faulty) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	return s.at(func() error { return s.Store.Put(ctx, kind, id, data) })
}

// Delete implements desk.Store.
func (s *Faulty) Delete(ctx context.Context, kind desk.Kind, id string) error {
	return s.at(func() error { return s.Store.Delete(ctx, kind, id) })
}

// Get implements desk.Store.
func (s *Faulty) Get(ctx context.Context, kind desk.Kind, id string) (data []byte, err error) {
	err = s.at(func() (err error) { data, err = s.Store.Get(ctx, kind, id); return err })
	return data, err
}

// Read implements desk.Reader.
func (s *Faulty) Read(ctx context.Context, keys ...desk.Key) []desk.Document {
	docs := make([]desk.Document, len(keys))
	for i, key := range keys {
		docs[i].Data, docs[i].Err = s.Get(ctx, key.Kind, key.ID)
	}
	return docs
}

// List implements desk.Store.
func (s *Faulty) List(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := s.next(); err != nil {
			yield("", err)
			return
		}
		s.Store.List(ctx, kind, in)(yield)
	}
}

// Lock implements desk.Store. A lock that a process takes as it dies goes with it.
func (s *Faulty) Lock(ctx context.Context, kind desk.Kind, name string) (release func(), err error) {
	err = s.at(func() (err error) { release, err = s.Store.Lock(ctx, kind, name); return err })
	if err != nil && release != nil {
		release()
		return nil, err
	}
	return release, err
}

// Mark implements desk.Store.
func (s *Faulty) Mark(ctx context.Context, mark desk.Mark, name, id string) error {
	return s.at(func() error { return s.Store.Mark(ctx, mark, name, id) })
}

// Unmark implements desk.Store.
func (s *Faulty) Unmark(ctx context.Context, mark desk.Mark, name, id string) error {
	return s.at(func() error { return s.Store.Unmark(ctx, mark, name, id) })
}

// Marks implements desk.Store.
func (s *Faulty) Marks(ctx context.Context, mark desk.Mark, name string) (ids []string, err error) {
	err = s.at(func() (err error) { ids, err = s.Store.Marks(ctx, mark, name); return err })
	return ids, err
}

// Locked implements desk.Store.
func (s *Faulty) Locked(ctx context.Context, kind desk.Kind, name string) (held bool, err error) {
	err = s.at(func() (err error) { held, err = s.Store.Locked(ctx, kind, name); return err })
	return held, err
}

// Locks implements desk.Store.
func (s *Faulty) Locks(ctx context.Context, kind desk.Kind) (names []string, err error) {
	err = s.at(func() (err error) { names, err = s.Store.Locks(ctx, kind); return err })
	return names, err
}

// EachStep runs a scenario with a fault at each step of a store, one after the
// other, until one has run without meeting its fault: at first the call fails, and
// then, in a second row, the process ends there. The scenario opens a store anew.
func EachStep(t *testing.T, run func(t *testing.T, step int, dies bool) (met bool)) {
	t.Helper()
	for _, dies := range []bool{false, true} {
		step := 1
		for run(t, step, dies) && !t.Failed() {
			step++
		}
		t.Logf("%d steps, dies: %v", step-1, dies)
		if step < 3 {
			t.Errorf("no step was met, dies: %v", dies)
		}
	}
}

// PutFile implements desk.Store.
func (s *Faulty) PutFile(ctx context.Context, id, key string, data []byte) error {
	return s.at(func() error { return s.Store.PutFile(ctx, id, key, data) })
}

// GetFile implements desk.Store.
func (s *Faulty) GetFile(ctx context.Context, id, key string) (data []byte, err error) {
	err = s.at(func() (err error) { data, err = s.Store.GetFile(ctx, id, key); return err })
	return data, err
}

// Files implements desk.Store.
func (s *Faulty) Files(ctx context.Context, id string) (keys []string, err error) {
	err = s.at(func() (err error) { keys, err = s.Store.Files(ctx, id); return err })
	return keys, err
}

// DeleteFile implements desk.Store.
func (s *Faulty) DeleteFile(ctx context.Context, id, key string) error {
	return s.at(func() error { return s.Store.DeleteFile(ctx, id, key) })
}
