package server

import (
	"io"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/tools/askuser"
)

// notificationBuffer is how many of mcp-go's own notifications may wait; it
// drops what exceeds it.
const notificationBuffer = 64

// line is one encoded message on its way to the client.
type line struct {
	data  []byte // with its newline
	call  *call  // the request it belongs to; nil for none
	final bool   // it is that request's response
}

// writer owns the output. Everything goes through its queue, which never
// blocks: a client that does not read must not stop us from reading. One
// goroutine empties it, and decides line by line, at the moment of writing,
// whether the request it belongs to may still be written about. So nothing
// follows a response or a cancel (FACTS 5.4).
type writer struct {
	out   io.Writer
	calls *calls
	log   *slog.Logger

	notifications chan mcp.JSONRPCNotification // from mcp-go
	wake          chan struct{}                // the queue has changed
	done          chan struct{}                // run has returned
	err           error                        // of out; to be read after done

	mu     sync.Mutex
	queue  []line
	closed bool
}

func newWriter(out io.Writer, calls *calls, log *slog.Logger) *writer {
	return &writer{
		out:           out,
		calls:         calls,
		log:           log,
		notifications: make(chan mcp.JSONRPCNotification, notificationBuffer),
		wake:          make(chan struct{}, 1),
		done:          make(chan struct{}),
	}
}

// send queues a line. It returns askuser.ErrDisconnected when the writer is
// closed or the output has failed.
func (w *writer) send(l line) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return askuser.ErrDisconnected
	}
	w.queue = append(w.queue, l)
	w.signal()
	return nil
}

// close takes no more lines; run ends when the queue is written.
func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.signal()
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run writes until the writer is closed or the output fails.
func (w *writer) run() {
	defer close(w.done)
	for closed := false; !closed && w.err == nil; {
		select {
		case n := <-w.notifications:
			w.writeNotification(n)
		case <-w.wake:
			closed = w.flush()
		}
	}
	w.close()
}

// flush writes what is queued and reports whether the writer is closed.
func (w *writer) flush() bool {
	w.mu.Lock()
	queue, closed := w.queue, w.closed
	w.queue = nil
	w.mu.Unlock()

	// What a handler gave to mcp-go before it returned goes before its
	// response: it is in the channel by now, or already written.
	for range len(w.notifications) {
		w.writeNotification(<-w.notifications)
	}
	for _, l := range queue {
		wanted := l.call == nil || l.final && w.calls.close(l.call) || !l.final && w.calls.isOpen(l.call)
		if wanted {
			w.write(l.data)
		}
		if l.final && l.call.delivered != nil {
			l.call.delivered(wanted && w.err == nil)
		}
	}
	return closed
}

// writeNotification writes a notification of mcp-go's own.
func (w *writer) writeNotification(n mcp.JSONRPCNotification) {
	restoreSubscriptionID(n.Params.Meta)
	data, err := encodeNotification(n.Method, n.Params)
	if err != nil {
		w.log.Error("a notification cannot be encoded", "method", n.Method, "error", err)
		return
	}
	w.write(data)
}

// write writes a whole line at once, unless the output has failed before.
func (w *writer) write(data []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(data)
	}
}
