package tty

import (
	"context"
	"sync"
)

// Turn lets one form at a time onto a terminal. Surfaces of one process for
// the same terminal share one; the zero Turn is not ready, see [NewTurn].
type Turn struct {
	taken chan struct{} // holds one token while a form is on the terminal; waiters queue in order

	mu   sync.Mutex
	held *terminal // by the form that has the turn
}

// NewTurn returns a turn that nobody has.
func NewTurn() *Turn { return &Turn{taken: make(chan struct{}, 1)} }

// take waits for the turn, in the order of asking. The error is the cause of
// ctx's end.
func (t *Turn) take(ctx context.Context) (release func(), err error) {
	select {
	case t.taken <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	release = func() { <-t.taken }
	if ctx.Err() != nil {
		release()
		return nil, context.Cause(ctx)
	}
	return release, nil
}

func (t *Turn) hold(held *terminal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = held
}

// Rescue leaves the terminal as it was found, whatever the form on it is doing:
// for a process that is about to end without waiting for it.
func (t *Turn) Rescue() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held != nil {
		t.held.hurry(killTime)
		t.held.restore()
	}
}
