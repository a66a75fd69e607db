package http

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/server"
	"mcp-askuser/tools/askuser"
)

// jsonDeadline is how long a result may take to be sent as plain JSON, with a
// status that fits it. A call that takes longer waits for a user: its headers
// are sent then.
const jsonDeadline = 200 * time.Millisecond

// errOneAnswer is why a client that takes no event stream gets only its result.
var errOneAnswer = errors.New("the client takes no event stream")

// stream is the response to one request: the messages that belong to the request,
// as they are sent. The goroutine of the request writes them.
type stream struct {
	*server.Queue
	w      http.ResponseWriter
	events bool // an event stream; else JSON, before which white space is ignored
	modern bool // errors have statuses of HTTP

	started   bool // the headers were sent
	succeeded bool // the response was written, and is no error
}

// Send implements [server.Sink].
func (st *stream) Send(m server.Outgoing) error {
	if !st.events && !m.Last() {
		return errOneAnswer
	}
	return st.Queue.Send(m)
}

// run writes until the response is complete, the client has gone, its token is good no
// more, or the session has ended with a cause after which no response follows. It sends
// a heartbeat at every interval once the headers are sent. The token is checked then,
// and before anything else is written.
func (st *stream) run(client, session context.Context, interval time.Duration, good func() bool) {
	defer st.Abandon()
	deadline, heartbeat := time.After(jsonDeadline), time.Tick(interval)
	ended := session.Done()
	for {
		var err error
		select {
		case <-client.Done():
			return
		case <-ended:
			if !outlasts(session) {
				return
			}
			ended = nil
		case <-st.Ready():
			if session.Err() != nil && !outlasts(session) || !good() {
				return
			}
			var last bool
			if last, err = st.writeQueue(); last {
				return
			}
		case <-deadline:
			err = st.start()
		case <-heartbeat:
			if !good() {
				return
			}
			if st.started {
				err = st.put(st.blank())
			}
		}
		if err != nil {
			return
		}
	}
}

// outlasts reports whether a response follows after the end of the session.
func outlasts(session context.Context) bool {
	return errors.Is(context.Cause(session), askuser.ErrClosing)
}

// writeQueue writes the queued messages, and reports whether the last one of the
// request is among them.
func (st *stream) writeQueue() (last bool, err error) {
	for !last && err == nil {
		m, ok := st.Take()
		if !ok {
			return false, nil
		}
		last, err = m.Last(), m.Write(func(line []byte) error { return st.write(m, line) })
	}
	if err == nil {
		st.finish()
	}
	return last, err
}

// start sends the headers, and something after them: some proxies hold headers
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
	st.w.WriteHeader(http.StatusOK)
	return st.put(st.blank())
}

// blank is what can be written between messages without a meaning.
func (st *stream) blank() []byte {
	if st.events {
		return []byte(":\n\n")
	}
	return []byte("\n")
}

// write sends a message. The response needs no event stream where none has begun.
func (st *stream) write(m server.Outgoing, line []byte) error {
	st.succeeded = m.Last() && m.Code() == 0
	if m.Last() && !st.started {
		st.started = true
		st.w.Header().Set("Content-Type", "application/json")
		st.w.Header().Set("Content-Length", strconv.Itoa(len(line)))
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

// put writes bytes and flushes them.
func (st *stream) put(data []byte) error {
	c := http.NewResponseController(st.w)
	_ = c.SetWriteDeadline(time.Now().Add(writeTimeout)) // else the server's own limit holds
	if _, err := st.w.Write(data); err != nil {
		return err
	}
	return c.Flush()
}

// finish ends a response to which nothing was written: its request was cancelled.
func (st *stream) finish() {
	switch {
	case st.started:
	case st.events:
		_ = st.start() // fails only where the client has gone
	default:
		st.w.WriteHeader(http.StatusNoContent)
	}
}

// status is the HTTP status of a response that is an error with this code, or
// no error.
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
