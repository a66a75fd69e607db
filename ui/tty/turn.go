package tty

import (
	"sync"

	"mcp-askuser/ui"
)

// Turn lets one form at a time onto a terminal. Surfaces of one process for
// the same terminal share one; the zero Turn is not ready, see [NewTurn].
type Turn struct {
	ui.Turn

	mu   sync.Mutex
	held *terminal // by the form that has the turn
}

// NewTurn returns a turn that nobody has.
func NewTurn() *Turn { return &Turn{Turn: ui.NewTurn()} }

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
