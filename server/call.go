package server

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
)

// Call is one request of the client. Its messages are sent to the outbox of the
// request.
type Call struct {
	session *Session
	out     Outbox
	id      json.RawMessage
	ctx     context.Context // ends with the call
	cancel  context.CancelCauseFunc
	turn    *place          // in session.turns, of a tool call
	form    *place          // in session.forms, likewise
	client  *askuser.Client // shared, never changed

	// delivered is set by the handler, and called when it is decided whether
	// the response was written.
	delivered func(written bool)

	// Guarded by session.requests.mu:
	requested []string // raw ids of the requests to the client that belong to the call
	ended     bool

	relaying sync.Mutex // held while a notification of mcp-go's is sent
}

var _ askuser.Transport = mcpSession{}

// Client implements [askuser.Transport]. A request of 2026-07-28 names its
// client itself; any other comes from the client that sent initialize.
func (c *Call) Client() askuser.Client { return *c.client }

// Directory is the project that the transport was given, or else the first of
// the client's roots.
func (c *Call) Directory(ctx context.Context) string {
	if c.session.Directory != "" || c.client.Modern || c.client.Capabilities.Roots == nil {
		return c.session.Directory
	}
	return c.session.roots.first(ctx, c)
}

// Turn implements [askuser.Transport]. Only tool calls wait for each other.
func (c *Call) Turn(ctx context.Context) (release func(), err error) {
	return c.turn.leave, c.turn.wait(ctx)
}

// Notify implements [askuser.Transport].
func (c *Call) Notify(method string, params any) error {
	line, err := encode(frame{Method: method, Params: params})
	if err != nil {
		return err
	}
	return c.out.Send(Outgoing{line: line, call: c, kind: notification})
}

// Delivered implements [askuser.Transport].
func (c *Call) Delivered(f func(written bool)) { c.delivered = f }

// reportDelivery calls what the handler gave to Delivered, once.
func (c *Call) reportDelivery(written bool) {
	if f := c.delivered; f != nil {
		c.delivered = nil
		f(written)
	}
}

// serve runs the handler of a request and sends its response.
func (c *Call) serve(m *Message) {
	if !c.session.calls.isOpen(c) { // cancelled before it started: nothing may be shown for it
		c.finish(nil, 0)
		return
	}
	method := m.Method // m itself is not kept while the handler waits
	line, code, err := c.response(m)
	if err != nil { // a panic, or a result that cannot be encoded: only for the log
		c.session.Log.Error("a request failed inside", "method", method, "id", string(c.id), "error", err)
		f := Fault{mcp.INTERNAL_ERROR, "internal error; see the server's log"}
		line, code = f.Response(c.id), f.Code
	}
	c.finish(line, code)
}

// response returns the line that answers the request, and its code where it is
// an error.
func (c *Call) response(m *Message) (line []byte, code int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	response, err := c.handle(m)
	if err != nil {
		return nil, 0, err
	}
	if failure, failed := response.(mcp.JSONRPCError); failed {
		code = failure.Error.Code
	}
	line, err = encodeResponse(c.id, response)
	return line, code, err
}

// handle has mcp-go serve the request.
func (c *Call) handle(m *Message) (mcp.JSONRPCMessage, error) {
	c.client = clientOf(m.Params, c.session.client.Load())
	text, err := m.forMCP()
	if err != nil {
		return nil, err
	}
	ctx := c.session.mcp.WithContext(c.ctx, mcpSession{c})
	prompt := m.Method == string(mcp.MethodPromptsGet)
	response := c.session.mcp.HandleMessage(ctx, text)
	// mcp-go has one code for every error of a handler; a prompt's is about its arguments.
	if failure, failed := response.(mcp.JSONRPCError); failed && prompt && failure.Error.Code == mcp.INTERNAL_ERROR {
		failure.Error.Code = mcp.INVALID_PARAMS
		return failure, nil
	}
	return response, nil
}

// finish ends the call with its response, which is an error where code is set.
func (c *Call) finish(line []byte, code int) {
	defer c.session.calls.running.Done()
	defer c.cancel(ui.ErrCallEnded)
	if code != 0 {
		c.reportDelivery(false)
	}
	c.turn.leave()
	c.form.leave()
	c.session.requests.end(c)
	c.relaying.Lock()
	defer c.relaying.Unlock()
	if m := (Outgoing{line, c, response, code}); c.out.Send(m) != nil {
		m.Drop()
	}
}
