package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/tools/askuser"
)

// Options are what a transport says about a session.
type Options struct {
	ID        string       // unique and unguessable; random by default, and the dialogue then too
	Agent     string       // who the client's token belongs to, where it needs one
	Dialogue  string       // stands for the dialogue where the client names none; empty: nothing does
	Directory string       // the client's project, absolute, where it is known
	Remote    bool         // messages to the client may take a while
	Log       *slog.Logger // of panics with their stack, and of results that cannot be encoded; by default none
}

// Session is the dialogue with one client: over standard input and output the
// whole connection, over HTTP the requests with one session id or, in the
// stateless era, a single one.
type Session struct {
	Options
	mcp      *mcpserver.MCPServer
	roots    roots
	client   atomic.Pointer[askuser.Client] // as of initialize
	calls    calls
	order    order // of taking their places
	forms    order // of putting their first forms to the client
	formGone atomic.Pointer[time.Time]
	requests requests
}

// NewSession returns a session. It starts nothing.
func NewSession(mcp *mcpserver.MCPServer, o Options) *Session {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.ID == "" {
		o.ID = rand.Text()
		o.Dialogue = o.ID
	}
	s := &Session{
		Options:  o,
		mcp:      mcp,
		calls:    calls{open: make(map[string]*Call), drained: make(chan struct{})},
		requests: requests{waiting: make(map[string]chan Message)},
	}
	s.client.Store(&askuser.Client{})
	return s
}

// Receive takes a message. It never waits for a handler, a human or the
// output, so that pings, cancels and the client's answers always get through.
// What belongs to a request goes into out, up to a message that is its
// [Outgoing.Last]; other messages put nothing there.
//
// The end of ctx is the end of the requests that came with it; its cause says
// why (see [askuser.Transport]). Calls take their [Call.Turn] in the order in
// which they are received.
func (s *Session) Receive(ctx context.Context, m Message, out Outbox) {
	switch {
	case m.isResponse():
		s.requests.deliver(m)
	case m.IsRequest():
		s.request(ctx, m, out)
	case m.Method == string(mcp.MethodNotificationCancelled):
		s.cancelled(m)
	case m.Method == mcp.MethodNotificationRootsListChanged:
		s.roots.forget()
	default: // no other notification concerns us, and none is ever answered
	}
}

// Refuse answers what is no request that we can serve. It belongs to no call,
// so that one waiting under the same id is not touched.
func (s *Session) Refuse(id json.RawMessage, f Fault, out Outbox) {
	_ = out.Send(Outgoing{line: f.Response(id), code: f.Code}) // after the end of the connection there is nobody to tell
}

// Drain lets no further request begin, and returns a channel that is closed
// when the handlers of all have returned.
func (s *Session) Drain() <-chan struct{} { return s.calls.drain() }

// Running is the number of requests whose handlers have not returned.
func (s *Session) Running() int { return s.calls.count() }

// request starts a request's handler. The methods that open a session run
// here and now: requests right behind them depend on what they leave in it.
func (s *Session) request(ctx context.Context, m Message, out Outbox) {
	k := &Call{session: s, out: out, id: m.ID}
	k.ctx, k.cancel = context.WithCancelCause(ctx)
	if err := s.calls.begin(k); err != nil {
		k.cancel(nil)
		s.Refuse(m.ID, Fault{mcp.INVALID_REQUEST, err.Error()}, out)
		return
	}
	if m.Method == string(mcp.MethodServerDiscover) && askuser.Handshake(clientOf(m.Params, s.client.Load()).Name) {
		f := Fault{mcp.METHOD_NOT_FOUND, "this server speaks with this client from initialize on"}
		k.finish(f.Response(m.ID), f.Code)
		return
	}
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodInitialize, mcp.MethodServerDiscover:
		k.serve(m)
		return
	case mcp.MethodToolsCall:
		s.order.join(&k.place)
		s.forms.join(&k.form)
	default:
	}
	go k.serve(m)
}

// serve serves a request: to its end, unless its handler leaves the call to wait.
func (k *Call) serve(m Message) {
	if !k.session.calls.isOpen(k) { // it was cancelled before it started: nothing may be shown for it
		k.finish(nil, 0)
		return
	}
	line, code := k.answer(m.Method, func() (mcp.JSONRPCMessage, error) {
		response, err := k.handle(m)
		if r, ok := response.(mcp.JSONRPCResponse); ok && k.step != nil {
			k.instead, _ = r.Result.(*mcp.CallToolResult)
			return nil, nil
		}
		return response, err
	})
	if line != nil {
		k.finish(line, code)
		return
	}
	context.AfterFunc(k.ctx, k.wake)
	ofProcess.began()
	k.goOn()
}

// goOn runs the step of a call that waits as often as it was woken. In between a
// call has no goroutine: there may be thousands.
func (k *Call) goOn() {
	for {
		seen := k.woken.Load()
		line, code := k.answer(string(mcp.MethodToolsCall), k.takeStep)
		if line != nil { // and it stays awake: nothing wakes it again
			k.finish(line, code)
			return
		}
		if k.woken.CompareAndSwap(seen, 0) {
			return
		}
	}
}

// takeStep gives the result that comes of a step what mcp-go has added to the
// handler's; nil is none yet.
func (k *Call) takeStep() (mcp.JSONRPCMessage, error) {
	switch result, err := k.step(k.ctx); {
	case err != nil:
		return mcp.NewJSONRPCError(mcp.RequestId{}, mcp.INTERNAL_ERROR, err.Error(), nil), nil
	case result == nil:
		return nil, nil
	default:
		if k.instead != nil {
			result.Meta = cmp.Or(result.Meta, k.instead.Meta)
			result.ResultType = cmp.Or(result.ResultType, k.instead.ResultType)
		}
		return mcp.JSONRPCResponse{Result: result}, nil
	}
}

// finish ends the call with its response, which is an error where there is a code.
func (k *Call) finish(line []byte, code int) {
	defer k.session.calls.end()
	defer k.cancel(nil)
	k.session.order.leave(&k.place)
	k.session.forms.leave(&k.form)
	k.session.requests.end(k)
	k.relaying.Lock()
	defer k.relaying.Unlock()
	if m := (Outgoing{line, k, response, code}); k.out.Send(m) != nil {
		m.Drop()
	}
}

// answer returns the line of the response that serve returns, nil while there is
// none, and the code of the error that it is. Faults inside are for the log only: that the
// handler panicked, or that what it returned cannot be encoded.
func (k *Call) answer(method string, serve func() (mcp.JSONRPCMessage, error)) (line []byte, code int) {
	line, code, err := k.encode(serve)
	if err != nil {
		k.session.Log.Error("a request failed inside", "method", method, "id", string(k.id), "error", err)
		f := Fault{mcp.INTERNAL_ERROR, "internal error; see the server's log"}
		line, code = f.Response(k.id), f.Code
	}
	if code != 0 {
		k.tell(false) // no result will be written
	}
	return line, code
}

func (k *Call) encode(serve func() (mcp.JSONRPCMessage, error)) (line []byte, code int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	response, err := serve()
	if err != nil || response == nil {
		return nil, 0, err
	}
	if failure, failed := response.(mcp.JSONRPCError); failed {
		code = failure.Error.Code
	}
	line, err = encodeResponse(k.id, response)
	return line, code, err
}

// handle has mcp-go serve the request.
func (k *Call) handle(m Message) (mcp.JSONRPCMessage, error) {
	k.client = clientOf(m.Params, k.session.client.Load())
	text, err := m.forMCP()
	if err != nil {
		return nil, err
	}
	ctx := askuser.WithTransport(k.session.mcp.WithContext(k.ctx, mcpSession{k}), k)
	prompt := m.Method == string(mcp.MethodPromptsGet) // the message is not kept meanwhile
	response := k.session.mcp.HandleMessage(ctx, text)
	// mcp-go has one code for every error of a handler; a prompt's is about its arguments.
	if failure, failed := response.(mcp.JSONRPCError); failed && prompt && failure.Error.Code == mcp.INTERNAL_ERROR {
		failure.Error.Code = mcp.INVALID_PARAMS
		return failure, nil
	}
	return response, nil
}

// cancelled serves notifications/cancelled. mcp-go never sees it: it would
// miss calls whose handlers have not started, and confuse the ids 1 and "1".
func (s *Session) cancelled(m Message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}
	// A reason that is no string is no reason to go on working.
	if err := json.Unmarshal(m.Params, &params); err != nil {
		s.Log.Debug("a cancel is malformed", "error", err)
	}
	s.calls.cancel(params.RequestID, params.Reason)
}
