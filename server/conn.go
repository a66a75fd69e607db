package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// conn is the connection to the client. One goroutine reads; it never waits
// for a handler, a human or the output, so that pings, cancels and the
// client's answers always get through.
type conn struct {
	ctx     context.Context // ends with the connection
	mcp     *mcpserver.MCPServer
	session *session
	calls   *calls
	writer  *writer
	log     *slog.Logger
}

// read takes messages until the connection or the input ends, and returns
// what the input failed with, if it did.
func (c *conn) read(lines *lineReader) error {
	for {
		text, err := lines.next()
		switch {
		case c.ctx.Err() != nil, errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLineTooLong):
			c.refuse(nil, fault{mcp.INVALID_REQUEST, fmt.Sprintf("message longer than %d bytes", lines.limit)})
		case err != nil:
			return err
		case len(bytes.TrimSpace(text)) > 0:
			c.receive(text)
		}
	}
}

// receive takes one message. It keeps nothing of text.
func (c *conn) receive(text []byte) {
	m, wrong := decode(text)
	switch {
	case wrong != nil:
		c.refuse(m.ID, *wrong)
	case m.isResponse():
		c.session.requests.deliver(m)
	case m.ID != nil:
		c.request(m)
	case m.Method == string(mcp.MethodNotificationCancelled):
		c.cancelled(m)
	default:
		c.notified(m)
	}
}

// request starts a request's handler. The methods that open a session run
// here and now: requests right behind them depend on what they leave in it
// (FACTS 5.5).
func (c *conn) request(m message) {
	ctx, cancel := context.WithCancelCause(c.ctx)
	k := &call{id: m.ID, cancel: cancel}
	if err := c.calls.begin(k); err != nil {
		cancel(nil)
		c.refuse(m.ID, fault{mcp.INVALID_REQUEST, err.Error()})
		return
	}
	ctx = context.WithValue(ctx, callKey{}, k)
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodInitialize, mcp.MethodServerDiscover:
		c.handle(ctx, k, m)
	default:
		go c.handle(ctx, k, m)
	}
}

// handle serves a request to its end.
func (c *conn) handle(ctx context.Context, k *call, m message) {
	defer c.calls.end()
	defer k.cancel(nil)
	if !c.calls.isOpen(k) {
		return // cancelled before it started: nothing may be shown for it
	}
	data, err := c.answer(ctx, m)
	if err != nil {
		c.log.Error("a request failed inside", "method", m.Method, "id", string(m.ID), "error", err)
		data, err = encodeError(m.ID, mcp.NewJSONRPCErrorDetails(mcp.INTERNAL_ERROR, "internal error; see the server's log", nil))
	}
	if err != nil {
		return // cannot happen: nothing in it comes from outside but a valid id
	}
	if c.writer.send(line{data: data, call: k, final: true}) != nil && k.delivered != nil {
		k.delivered(false) // the connection has ended: there is nobody to tell
	}
}

// answer has mcp-go serve a request and encodes its response. The error, which
// is for the log only, says that the handler panicked or what it returned
// cannot be encoded (FACTS 5.6, 5.10).
func (c *conn) answer(ctx context.Context, m message) (data []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	request, err := m.forMCP()
	if err != nil {
		return nil, err
	}
	return encodeResponse(m.ID, c.mcp.HandleMessage(ctx, request))
}

// cancelled serves notifications/cancelled. mcp-go never sees it: it would
// miss calls whose handlers have not started, and confuse the ids 1 and "1".
func (c *conn) cancelled(m message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}
	// A reason that is no string is no reason to go on working.
	if err := json.Unmarshal(m.Params, &params); err != nil {
		c.log.Debug("a cancel is malformed", "error", err)
	}
	c.calls.cancel(params.RequestID, params.Reason)
}

// notified hands any other notification to mcp-go. Notifications are never
// answered, not even with an error.
func (c *conn) notified(m message) {
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("a notification failed inside", "method", m.Method, "error", fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	notification, err := m.forMCP()
	if err != nil {
		c.log.Error("a notification cannot be handed on", "method", m.Method, "error", err)
		return
	}
	c.mcp.HandleMessage(c.ctx, notification)
}

// refuse answers what is no request we can serve. It belongs to no call, so
// that one waiting under the same id is not touched.
func (c *conn) refuse(id json.RawMessage, f fault) {
	data, err := encodeError(id, mcp.NewJSONRPCErrorDetails(f.code, f.text, nil))
	if err != nil {
		c.log.Error("a refusal cannot be encoded", "error", err)
		return
	}
	_ = c.writer.send(line{data: data})
}
