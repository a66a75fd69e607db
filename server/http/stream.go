package http

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/server"
	"mcp-askuser/tools/askuser"
)

// soon is how long a result may take to be sent as plain JSON, with the status
// that says what it is. Whatever takes longer waits for a human, and the headers
// go out at once.
const soon = 200 * time.Millisecond

// errOneAnswer is why a client that takes no event stream gets its result alone.
var errOneAnswer = errors.New("the client takes no event stream")

// stream is one response: what belongs to a request goes out in it, as it comes.
// Messages are put in by anybody; the goroutine of the request writes them.
type stream struct {
	w      http.ResponseWriter
	events bool // an event stream; else JSON, of which white space is no part
	modern bool // errors have statuses

	wake chan struct{} // has a value when there is something to do

	mu     sync.Mutex
	queue  []server.Outgoing
	due    bool // a beat
	closed bool

	// The goroutine's own:
	started   bool // the headers are out
	succeeded bool // the last message is out, and no error
}

func newStream(w http.ResponseWriter, events, modern bool) *stream {
	return &stream{w: w, events: events, modern: modern, wake: make(chan struct{}, 1)}
}

// Send implements [server.Outbox].
func (st *stream) Send(m server.Outgoing) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.closed:
		return askuser.ErrDisconnected
	case !st.events && !m.Last():
		return errOneAnswer
	}
	st.queue = append(st.queue, m)
	st.ring()
	return nil
}

// beat has the stream say that it is alive.
func (st *stream) beat() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.due = true
	st.ring()
}

func (st *stream) ring() {
	select {
	case st.wake <- struct{}{}:
	default:
	}
}

// take returns what there is to do.
func (st *stream) take() (queue []server.Outgoing, due bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	queue, due = st.queue, st.due
	st.queue, st.due = nil, false
	return queue, due
}

// run writes until the last message, until the client has gone, or until ctx
// ends with a cause after which nobody wants a response.
func (st *stream) run(ctx context.Context, gone <-chan struct{}, h *wheel) {
	defer st.close()
	start := time.NewTimer(soon)
	defer start.Stop()
	ended := ctx.Done()
	for {
		select {
		case <-st.wake:
			queue, due := st.take()
			for i, m := range queue {
				err := m.Write(func(line []byte) error { return st.write(m, line) })
				if err == nil && !m.Last() {
					continue
				}
				for _, rest := range queue[i+1:] {
					rest.Drop()
				}
				if err == nil {
					st.finish()
				}
				return
			}
			if due && st.started && st.alive() != nil {
				return
			}
		case <-start.C:
			if st.start() != nil {
				return
			}
			defer h.join(st)()
		case <-gone:
			return
		case <-ended:
			if ended = nil; !errors.Is(context.Cause(ctx), askuser.ErrClosing) {
				return
			}
		}
	}
}

// start sends the headers, and something behind them: some in between hold them
// back otherwise.
func (st *stream) start() error {
	if st.started {
		return nil
	}
	h := st.w.Header()
	h.Set("Content-Type", "application/json")
	if st.events {
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no")
	}
	st.begin(http.StatusOK)
	return st.alive()
}

func (st *stream) begin(status int) {
	st.started = true
	st.w.WriteHeader(status)
}

// alive writes what means nothing.
func (st *stream) alive() error {
	if st.events {
		return st.put([]byte(":\n\n"))
	}
	return st.put([]byte("\n"))
}

// write sends a message. The last one needs no event stream where none has
// begun.
func (st *stream) write(m server.Outgoing, line []byte) error {
	st.succeeded = m.Last() && m.Code() == 0
	if m.Last() && !st.started {
		st.w.Header().Set("Content-Type", "application/json")
		st.w.Header().Set("Content-Length", strconv.Itoa(len(line)))
		st.begin(st.status(m.Code()))
		return st.put(line)
	}
	if !st.events {
		return st.put(line)
	}
	if err := st.start(); err != nil {
		return err
	}
	var event bytes.Buffer
	event.Grow(len(line) + 32)
	event.WriteString("event: message\ndata: ")
	event.Write(line) // ends in its only newline
	event.WriteByte('\n')
	return st.put(event.Bytes())
}

// put writes bytes, and has them leave.
func (st *stream) put(data []byte) error {
	out := http.NewResponseController(st.w)
	_ = out.SetWriteDeadline(time.Now().Add(writeTime)) // else the server's own limit holds
	if _, err := st.w.Write(data); err != nil {
		return err
	}
	return out.Flush()
}

// finish ends a response to which nothing was written: its request was
// cancelled.
func (st *stream) finish() {
	switch {
	case st.started:
	case st.events:
		_ = st.start() // the client may be gone
	default:
		st.begin(http.StatusNoContent)
	}
}

// status is that of a response which is an error with this code, or none.
func (st *stream) status(code int) int {
	if !st.modern {
		return http.StatusOK
	}
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.PARSE_ERROR, mcp.INVALID_REQUEST, mcp.INVALID_PARAMS,
		mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// close takes no more messages, and drops those that were not written.
func (st *stream) close() {
	st.mu.Lock()
	queue := st.queue
	st.queue, st.closed = nil, true
	st.mu.Unlock()
	for _, m := range queue {
		m.Drop()
	}
}
