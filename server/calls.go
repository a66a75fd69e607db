package server

import (
	"encoding/json"
	"errors"
	"sync"

	"mcp-askuser/tools/askuser"
)

var (
	errDuplicateID = errors.New("a request with this id is already waiting")
	errClosing     = errors.New("the connection is closing")
)

// calls keeps a session's open requests: received from the client, and neither
// cancelled nor answered. Nothing is written about a request that is not open.
type calls struct {
	mu       sync.Mutex
	open     map[string]*Call // by raw id
	running  sync.WaitGroup   // handlers, also those of cancelled calls
	draining bool             // no handler begins
}

// begin opens c and counts its handler as running. Callers must do so before they take
// the next message, which may be a cancel of c. A call whose handler has returned stays
// open until the response is written.
func (t *calls) begin(c *Call) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.draining {
		return errClosing
	}
	if _, ok := t.open[string(c.id)]; ok {
		return errDuplicateID
	}
	t.open[string(c.id)] = c
	t.running.Add(1)
	return nil
}

func (t *calls) isOpen(c *Call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open[string(c.id)] == c
}

// close removes c and reports whether it was open until now.
func (t *calls) close(c *Call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[string(c.id)] != c {
		return false
	}
	delete(t.open, string(c.id))
	return true
}

// cancel withdraws the call with this id for the client. An unknown id is
// ignored: some clients cancel calls that have long ended.
func (t *calls) cancel(id json.RawMessage, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, ok := t.open[string(id)]; ok {
		delete(t.open, string(id))
		c.cancel(&askuser.Cancelled{Reason: reason})
	}
}

// drain refuses further calls and returns a channel that is closed when all
// handlers have returned.
func (t *calls) drain() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draining = true
	drained := make(chan struct{})
	go func() {
		t.running.Wait()
		close(drained)
	}()
	return drained
}
