package stdio

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"mcp-askuser/server"
	"mcp-askuser/tools/askuser"
)

// writer owns the output. Every message passes its queue, which never blocks: a
// client that does not read must not keep us from reading. One goroutine empties
// it, and decides for each message, when it is written, whether it is still
// wanted.
type writer struct {
	out  io.Writer
	done chan struct{} // run has returned
	err  error         // of out; to be read after done

	writing atomic.Pointer[time.Time] // when the Write under way began; nil between two

	mu     sync.Mutex
	change sync.Cond // queue or closed has changed
	queue  []server.Outgoing
	closed bool
}

func newWriter(out io.Writer) *writer {
	w := &writer{out: out, done: make(chan struct{})}
	w.change.L = &w.mu
	return w
}

// Send implements [server.Outbox].
func (w *writer) Send(m server.Outgoing) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return askuser.ErrDisconnected
	}
	w.queue = append(w.queue, m)
	w.change.Signal()
	return nil
}

// run writes until the writer is closed and its queue empty, or the output
// fails.
func (w *writer) run() {
	defer close(w.done)
	for w.err == nil {
		m, ok := w.next()
		if !ok {
			return
		}
		w.err = m.Write(w.write)
	}
	w.abandon()
}

// next waits for a message and takes it; there is none after the last of a closed
// writer.
func (w *writer) next() (m server.Outgoing, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 {
		if w.closed {
			return m, false
		}
		w.queue = nil // releases the memory of a burst
		w.change.Wait()
	}
	m, w.queue[0] = w.queue[0], m
	w.queue = w.queue[1:]
	return m, true
}

// write writes a line in one Write.
func (w *writer) write(line []byte) error {
	since := time.Now()
	w.writing.Store(&since)
	defer w.writing.Store(nil)
	_, err := w.out.Write(line)
	return err
}

// finish takes no more messages, and waits until the queue is written. It
// reports false when a Write lasts longer than limit: then it drops what is
// queued.
func (w *writer) finish(limit time.Duration) bool {
	w.mu.Lock()
	w.closed = true
	w.change.Signal()
	w.mu.Unlock()
	for !waitFor(w.done, limit) {
		if since := w.writing.Load(); since != nil && time.Since(*since) >= limit {
			w.abandon()
			return false
		}
	}
	return true
}

// abandon takes no more messages, and drops those that are queued.
func (w *writer) abandon() {
	w.mu.Lock()
	queue := w.queue
	w.queue, w.closed = nil, true
	w.mu.Unlock()
	for _, m := range queue {
		m.Drop()
	}
}
