package stdio

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"mcp-askuser/server"
	"mcp-askuser/tools/askuser"
)

// writer owns the output. Everything goes through its queue, which never
// blocks: a client that does not read must not stop us from reading. One
// goroutine empties it, and decides message by message, at the moment of
// writing, whether the message is still wanted.
type writer struct {
	out  io.Writer
	done chan struct{} // run has returned
	err  error         // of out; to be read after done

	writing atomic.Pointer[time.Time] // since when; nil between two Writes
	held    []byte                    // lines that go out with the next, which is queued already

	mu     sync.Mutex
	change sync.Cond // of queue or closed
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
			if w.err = w.flush(); w.err == nil && !w.wait() {
				return
			}
			continue
		}
		w.err = m.Write(func(line []byte) error {
			if !m.Last() && len(w.held) < atOnce {
				w.held = append(w.held, line...)
				return nil
			}
			if err := w.flush(); err != nil {
				return err
			}
			return w.write(line)
		})
	}
	w.abandon()
}

// atOnce is how many bytes of one burst are written at once, or a little more. A
// thousand calls that report their progress would wake the client, and us, a
// thousand times else. What ends a request is written by itself.
const atOnce = 32 << 10

// next returns the first message, if there is any.
func (w *writer) next() (m server.Outgoing, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return m, false
	}
	m, w.queue[0] = w.queue[0], m
	w.queue = w.queue[1:]
	return m, true
}

// wait waits for a message; there is none after the last of a closed writer.
func (w *writer) wait() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 {
		if w.closed {
			return false
		}
		w.queue, w.held = nil, nil // free what a burst has left
		w.change.Wait()
	}
	return true
}

// flush writes what is held.
func (w *writer) flush() (err error) {
	if len(w.held) > 0 {
		err = w.write(w.held)
		w.held = w.held[:0]
	}
	return err
}

// write writes whole lines at once.
func (w *writer) write(lines []byte) error {
	since := time.Now()
	w.writing.Store(&since)
	defer w.writing.Store(nil)
	_, err := w.out.Write(lines)
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
