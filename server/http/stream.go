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

// beat is what can be written between messages without a meaning.
const beat = ":\n\n"

// stream is the response to one request: the messages that belong to the request,
// as they are sent. The goroutine of the request writes them.
type stream struct {
	*server.Queue
	w      http.ResponseWriter
	modern bool // errors have statuses of HTTP

	started   bool // the headers were sent
	succeeded bool // the response was written, and is no error
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
				err = st.put([]byte(beat))
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
		last, err = m.Last, m.Write(func(line []byte) error { return st.write(m, line) })
	}
	if err == nil && !st.started { // its request was cancelled
		err = st.start()
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
	st.w.Header().Set("Content-Type", "text/event-stream")
	st.w.Header().Set("X-Accel-Buffering", "no")
	st.w.WriteHeader(http.StatusOK)
	return st.put([]byte(beat))
}

// write sends a message. The response needs no event stream where none has begun.
func (st *stream) write(m server.Outgoing, line []byte) error {
	st.succeeded = m.Last && m.Code == 0
	if m.Last && !st.started {
		st.started = true
		st.w.Header().Set("Content-Type", "application/json")
		st.w.Header().Set("Content-Length", strconv.Itoa(len(line)))
		st.w.WriteHeader(st.status(m.Code))
		return st.put(line)
	}
	err := st.start()
	if err != nil {
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
