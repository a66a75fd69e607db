package server

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/tools/askuser"
)

// Call is one request of the client. Its messages are sent to the sink of the
// request. To the tools it is the transport, and to mcp-go a session with one client. It is
// not registered with mcp-go: that serves only to broadcast changes of the tools, which
// never change.
type Call struct {
	session *Session
	out     Sink
	id      json.RawMessage
	client  *askuser.Client // shared, never changed
	ctx     context.Context // of the call
	end     context.CancelCauseFunc
	turn    *place // in session.turns, of a tool call
	form    *place // in session.forms, likewise

	// delivered is set by the handler, and called when it is decided whether
	// the response was written.
	delivered func(written bool)

	requests sync.WaitGroup // to the client, which belong to the call
	relaying sync.Mutex     // held while a notification of mcp-go's is sent
}

var (
	_ askuser.Transport       = (*Call)(nil)
	_ mcpserver.ClientSession = (*Call)(nil)
)

// Client implements [askuser.Transport].
func (c *Call) Client() askuser.Client { return *c.client }

// Directory is the project that the transport was given, or else the first of
// the client's roots.
func (c *Call) Directory(ctx context.Context) string {
	if c.session.Directory != "" || c.client.Modern || c.client.Capabilities.Roots == nil {
		return c.session.Directory
	}
	return c.session.root.get(ctx, c)
}

// Turn implements [askuser.Transport]. Only tool calls wait for each other.
func (c *Call) Turn(ctx context.Context) (release func(), err error) {
	return c.turn.leave, c.turn.wait(ctx)
}

// Notify implements [askuser.Transport].
func (c *Call) Notify(method string, params any) error {
	return send(c.out, Outgoing{call: c}, frame{Method: method, Params: params})
}

// Delivered implements [askuser.Transport].
func (c *Call) Delivered(f func(written bool)) { c.delivered = f }

// reportDelivery calls what the handler gave to Delivered, once.
func (c *Call) reportDelivery(written bool) {
	f := c.delivered
	if f != nil {
		c.delivered = nil
		f(written)
	}
}

// SessionID is unique to the session.
func (c *Call) SessionID() string { return c.session.ID }

// Initialize does nothing: a client that calls is initialized.
func (*Call) Initialize() {}

// Initialized is true, see Initialize.
func (*Call) Initialized() bool { return true }

// NotificationChannel returns a channel for one notification that mcp-go sends
// during the call, such as the acknowledgement of subscriptions/listen. They are
// sent in order, and before the response if the handler returns after them.
func (c *Call) NotificationChannel() chan<- mcp.JSONRPCNotification {
	c.relaying.Lock()
	one := make(chan mcp.JSONRPCNotification, 1)
	go func() {
		defer c.relaying.Unlock()
		n := <-one // mcp-go sends exactly one for each channel
		restoreSubscriptionID(n.Params.Meta)
		err := c.Notify(n.Method, n.Params)
		if err != nil {
			c.session.Log.Info("a notification was not sent", "method", n.Method, "error", err)
		}
	}()
	return one
}

// isOpen reports whether the call was neither cancelled nor answered.
func (c *Call) isOpen() bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.session.calls[string(c.id)] == c
}

// close removes c from the open calls, and reports whether it was one of them.
func (c *Call) close() bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if c.session.calls[string(c.id)] != c {
		return false
	}
	delete(c.session.calls, string(c.id))
	return true
}

// serve runs the handler of a request and sends its response.
func (c *Call) serve(m *Message) {
	if !c.isOpen() { // cancelled before it started: nothing may be shown for it
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
		fault := recover()
		if fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	response, err := c.handle(m)
	if err != nil {
		return nil, 0, err
	}
	failure, failed := response.(mcp.JSONRPCError)
	if failed {
		code = failure.Error.Code
	}
	line, err = encodeResponse(c.id, response)
	return line, code, err
}

// handle has mcp-go serve the request.
func (c *Call) handle(m *Message) (mcp.JSONRPCMessage, error) {
	method := mcp.MCPMethod(m.Method)
	if method == mcp.MethodServerDiscover && askuser.Handshake(c.client.Name) {
		text := "this server speaks with this client from initialize on"
		return mcp.NewJSONRPCError(mcp.RequestId{}, mcp.METHOD_NOT_FOUND, text, nil), nil
	}
	text, err := m.forMCP()
	if err != nil {
		return nil, err
	}
	response := c.session.mcp.HandleMessage(c.session.mcp.WithContext(c.ctx, c), text)
	// mcp-go has one code for every error of a handler; a prompt's is about its arguments.
	failure, failed := response.(mcp.JSONRPCError)
	if failed && method == mcp.MethodPromptsGet && failure.Error.Code == mcp.INTERNAL_ERROR {
		failure.Error.Code = mcp.INVALID_PARAMS
		return failure, nil
	}
	return response, nil
}

// finish ends the call with its response, which is an error where code is set.
func (c *Call) finish(line []byte, code int) {
	defer c.session.handlers.Done()
	if code != 0 {
		c.reportDelivery(false)
	}
	c.turn.leave()
	c.form.leave()
	c.endRequests()
	c.relaying.Lock()
	defer c.relaying.Unlock()
	m := Outgoing{line: line, call: c, Last: true, Code: code}
	if c.out.Send(m) != nil {
		m.Drop()
	}
}
