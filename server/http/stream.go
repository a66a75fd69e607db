package http

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/internal/ticker"
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
// Messages are put in by anybody.
//
// The goroutine of the request writes until it is clear that the response will
// take long. From there on the stream has the connection to itself, where that
// can be had (HTTP/1.1): a request that waits would hold two goroutines and some
// 15 KiB of buffers else. One goroutine sees the client go, and another one
// writes, while there is something to write.
type stream struct {
	ctx    context.Context // of the session
	events bool            // an event stream; else JSON, before which white space means nothing
	modern bool            // errors have statuses
	answer bool            // a response will come
	beats  *ticker.Group[*stream]
	ended  func() // called once, when nothing more will be written

	w    http.ResponseWriter // nil once the stream has its own connection
	wake chan struct{}       // has a value when there is something to do; nil likewise
	conn net.Conn            // the stream's own

	mu      sync.Mutex
	queue   []server.Outgoing
	due     bool // a beat
	writing bool // with an own connection: somebody writes
	closed  bool

	started   bool        // the headers are out; of whoever writes
	succeeded atomic.Bool // the last message is out, and no error
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

// beat has the stream say that it is alive. A client that does not take so
// little at once has long stopped reading.
func (st *stream) beat() {
	st.mu.Lock()
	if st.conn == nil {
		st.due = true
		st.ring()
	}
	idle := st.conn != nil && !st.writing && !st.closed
	st.writing = st.writing || idle
	st.mu.Unlock()
	switch {
	case !idle:
	case st.putWithin(st.nothing(), beatTime) != nil:
		st.close()
	case st.more():
		go st.writeOn()
	}
}

// ring has somebody write. The lock is held.
func (st *stream) ring() {
	if st.conn == nil {
		select {
		case st.wake <- struct{}{}:
		default:
		}
	} else if !st.writing && !st.closed {
		st.writing = true
		go st.writeOn()
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

// run writes until the last message, until gone, the client, or until the
// session ends with a cause after which nobody wants a response. It returns
// earlier where the stream goes on by itself.
func (st *stream) run(gone <-chan struct{}) {
	start := time.NewTimer(soon)
	defer start.Stop()
	ended := st.ctx.Done()
	for st.conn == nil {
		select {
		case <-st.wake:
			if !st.step() {
				st.close()
				return
			}
		case <-start.C:
			if st.start() != nil {
				st.close()
				return
			}
			if st.conn == nil {
				st.beats.Join(st)
				defer st.beats.Leave(st)
			}
		case <-gone:
			st.close()
			return
		case <-ended:
			if ended = nil; !st.outlasts() {
				st.close()
				return
			}
		}
	}
	st.detach()
}

// outlasts reports whether a response comes after the end of its session.
func (st *stream) outlasts() bool {
	return st.answer && errors.Is(context.Cause(st.ctx), askuser.ErrClosing)
}

// step writes what there is, and reports whether something may follow.
func (st *stream) step() bool {
	if st.ctx.Err() != nil && !st.outlasts() {
		return false
	}
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
		return false
	}
	return !due || !st.started || st.alive() == nil
}

// detach has the stream go on without the goroutine of its request.
func (st *stream) detach() {
	st.beats.Join(st)
	stop := context.AfterFunc(st.ctx, func() {
		if !st.outlasts() {
			st.close()
		}
	})
	go func() {
		st.drain()
		stop()
		st.beats.Leave(st)
		st.close()
	}()
	st.writeOn()
}

// drain returns when the client has gone. Bytes behind its request, such as a line
// break or the next request, mean nothing: this response is the connection's last.
// It returns also after more of them than a header may have.
func (st *stream) drain() {
	var ignored [64]byte
	for total := 0; total <= maxHeader; {
		n, err := st.conn.Read(ignored[:])
		if err != nil {
			return
		}
		total += n
	}
}

// writeOn writes on the stream's own connection while there is something.
func (st *stream) writeOn() {
	for more := true; more; more = st.more() {
		if !st.step() {
			st.close()
			return
		}
	}
}

// more reports whether whoever writes is to go on.
func (st *stream) more() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.writing = st.queue != nil
	return st.writing
}

// start sends the headers, and something behind them: some in between hold them
// back otherwise.
func (st *stream) start() error {
	if st.started {
		return nil
	}
	st.started = true
	h := st.w.Header()
	h.Set("Content-Type", "application/json")
	if st.events {
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no")
	}
	conn, _, err := http.NewResponseController(st.w).Hijack()
	if err != nil { // HTTP/2, which has none to give away
		st.w.WriteHeader(http.StatusOK)
		return st.alive()
	}
	h.Set("Connection", "close") // whose end is the end of the response
	head := bytes.NewBufferString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(head) // a buffer takes everything
	head.WriteString("\r\n")
	head.Write(st.nothing())
	st.mu.Lock()
	st.w, st.conn, st.writing = nil, conn, true
	st.mu.Unlock()
	return st.put(head.Bytes())
}

// nothing is what can be written at any time, and means nothing.
func (st *stream) nothing() []byte {
	if st.events {
		return []byte(":\n\n")
	}
	return []byte("\n")
}

func (st *stream) alive() error { return st.put(st.nothing()) }

// write sends a message. The last one needs no event stream where none has
// begun.
func (st *stream) write(m server.Outgoing, line []byte) error {
	st.succeeded.Store(m.Last() && m.Code() == 0)
	if m.Last() && !st.started {
		st.w.Header().Set("Content-Type", "application/json")
		st.w.Header().Set("Content-Length", strconv.Itoa(len(line)))
		st.started = true
		st.w.WriteHeader(st.status(m.Code()))
		return st.put(line)
	}
	if !st.events {
		return st.put(line)
	}
	if err := st.start(); err != nil {
		return err
	}
	// The line ends in its only newline.
	return st.put(slices.Concat([]byte("event: message\ndata: "), line, []byte("\n")))
}

// put writes bytes, and has them leave.
func (st *stream) put(data []byte) error { return st.putWithin(data, writeTime) }

func (st *stream) putWithin(data []byte, patience time.Duration) error {
	limit := time.Now().Add(patience)
	if st.conn != nil {
		_ = st.conn.SetWriteDeadline(limit) // or the write fails
		_, err := st.conn.Write(data)
		return err
	}
	out := http.NewResponseController(st.w)
	_ = out.SetWriteDeadline(limit) // else the server's own limit holds
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
		st.w.WriteHeader(http.StatusNoContent)
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

// close takes no more messages, and drops those that were not written. To close
// again changes nothing.
func (st *stream) close() {
	st.mu.Lock()
	queue, conn, again := st.queue, st.conn, st.closed
	st.queue, st.closed = nil, true
	st.mu.Unlock()
	if again {
		return
	}
	for _, m := range queue {
		m.Drop()
	}
	if conn != nil {
		_ = conn.Close()
	}
	st.ended()
}
