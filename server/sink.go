package server

import (
	"sync"

	"mcp-askuser/tools/askuser"
)

// Sink takes the messages that belong to one request of the client's, or to all
// of them.
type Sink interface {
	// Send enqueues a message. It must not block: a client that does not read
	// must not keep us from reading. For every message that it took, the
	// transport calls Write or Drop, once. The error is askuser.ErrDisconnected
	// where no message is taken any more, or says why this one is not.
	Send(m Outgoing) error
}

// Queue is a [Sink] whose messages one goroutine of the transport writes.
type Queue struct {
	mu     sync.Mutex
	queue  []Outgoing
	closed bool
	ready  chan struct{} // of capacity 1
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{ready: make(chan struct{}, 1)} }

// Send implements [Sink].
func (q *Queue) Send(m Outgoing) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return askuser.ErrDisconnected
	}
	q.queue = append(q.queue, m)
	select {
	case q.ready <- struct{}{}:
	default:
	}
	return nil
}

// send encodes a message's line and sends it.
func send(out Sink, m Outgoing, f frame) (err error) {
	m.line, err = encode(f)
	if err != nil {
		return err
	}
	return out.Send(m)
}

// Ready receives a value after messages were sent, and is closed by Close.
func (q *Queue) Ready() <-chan struct{} { return q.ready }

// Take removes the oldest message, if there is one.
func (q *Queue) Take() (m Outgoing, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		q.queue = nil // releases the memory of a burst
		return m, false
	}
	m, q.queue[0] = q.queue[0], m
	q.queue = q.queue[1:]
	return m, true
}

// Close refuses further messages.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.ready)
	}
}

// Abandon refuses further messages, and drops those that are queued.
func (q *Queue) Abandon() {
	q.Close()
	for m, ok := q.Take(); ok; m, ok = q.Take() {
		m.Drop()
	}
}

// Outgoing is one message on its way to the client.
type Outgoing struct {
	line []byte
	call *Call // must be open when the message is written; nil: written in any case

	Last bool // it ends its request: each request has one such message, wanted or not
	Code int  // of JSON-RPC, where it is an error
}

// Write calls write with the message's line, JSON that ends in its only newline,
// unless the client must not see it any more: nothing follows a call's response
// or its cancel, and a cancelled call gets no response. The function given to
// [Call.Delivered] is called before Write returns. The error is that of write.
//
// The messages of one call are written one at a time, in the order in which
// they were sent.
func (m Outgoing) Write(write func(line []byte) error) error {
	if m.call == nil {
		return write(m.line)
	}
	if !m.Last {
		if m.call.isOpen() {
			return write(m.line)
		}
		return nil
	}
	if !m.call.close() {
		m.Drop()
		return nil
	}
	err := write(m.line)
	m.call.reportDelivery(err == nil)
	return err
}

// Drop gives up a message that will not be written.
func (m Outgoing) Drop() {
	if m.call != nil && m.Last {
		m.call.close()
		m.call.reportDelivery(false)
	}
}
