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

// calls keeps a session's requests that are still open: read from the client,
// and neither cancelled nor answered. Being in the table is what entitles a
// request to be written about.
type calls struct {
	mu       sync.Mutex
	open     map[string]*Call // by raw id
	running  int              // handlers, also those of cancelled calls
	draining bool
	drained  chan struct{}
}

// begin opens k and counts its handler. It must be called before the next
// message is taken, so that a cancel right behind the request finds it.
func (c *calls) begin(k *Call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return errClosing
	}
	if _, ok := c.open[string(k.id)]; ok {
		return errDuplicateID
	}
	c.open[string(k.id)] = k
	c.running++
	return nil
}

// end uncounts a handler that has returned. Its call stays open until the
// response is written.
func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if c.draining && c.running == 0 {
		close(c.drained)
	}
}

// isOpen reports whether k may still be written about.
func (c *calls) isOpen(k *Call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[string(k.id)] == k
}

// close takes k out of the table and reports whether it was open until now.
func (c *calls) close(k *Call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[string(k.id)] != k {
		return false
	}
	delete(c.open, string(k.id))
	return true
}

// cancel withdraws the call with this id on the client's behalf. An unknown
// id is none of our business: some clients cancel what has long ended.
func (c *calls) cancel(id json.RawMessage, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.open[string(id)]; ok {
		delete(c.open, string(id))
		k.cancel(&askuser.Cancelled{Reason: reason})
	}
}

// drain lets no further call begin and returns a channel that is closed when
// all handlers have returned.
func (c *calls) drain() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.draining && c.running == 0 {
		close(c.drained)
	}
	c.draining = true
	return c.drained
}

// count is the number of handlers that have not returned.
func (c *calls) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}
