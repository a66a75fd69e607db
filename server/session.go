package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/tools/askuser"
)

// Options are what a transport knows of a session.
type Options struct {
	ID        string       // unique and unguessable; random by default, and the dialogue then too
	Agent     string       // owner of the client's token, where one is required
	Prove     bool         // answers to the client's confirmations need a proof
	Dialogue  string       // identifies the dialogue if the client names none; may be empty
	Directory string       // the client's project, absolute, where it is known
	Log       *slog.Logger // nil disables logging
}

// Session is the dialogue with one client: over standard input and output the
// whole connection, over HTTP the requests with one session id or, in the
// stateless era, a single one.
type Session struct {
	Options
	mcp      *mcpserver.MCPServer
	roots    roots
	client   atomic.Pointer[askuser.Client] // from initialize
	calls    calls
	turns    order // of tool calls
	forms    order // of the first form of each tool call
	formGone atomic.Pointer[time.Time]
	requests requests
	logLevel atomic.Pointer[mcp.LoggingLevel] // nil until the client sets one
	listener atomic.Pointer[Outbox]           // see Listen
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
		calls:    calls{open: make(map[string]*Call)},
		requests: requests{waiting: make(map[string]chan *Message)},
	}
	s.client.Store(&askuser.Client{Agent: s.Agent, Prove: s.Prove, Session: s.Dialogue})
	return s
}

// Receive handles a message. It never waits for a tool, a user or the output, so
// that pings, cancels and the client's answers are never delayed. The messages that
// belong to a request are sent to out; [Outgoing.Last] marks the last one. Other
// messages from the client send nothing to out.
//
// The end of ctx ends the requests that came with it; its cause says why (see
// [askuser.Transport]). Calls get their [Call.Turn] in the order in which they
// are received.
func (s *Session) Receive(ctx context.Context, m *Message, out Outbox) {
	switch {
	case m.isResponse():
		s.requests.deliver(m)
	case m.IsRequest():
		s.startRequest(ctx, m, out)
	case m.Method == string(mcp.MethodNotificationCancelled):
		s.handleCancel(m)
	case m.Method == mcp.MethodNotificationRootsListChanged:
		s.roots.known.Store(false)
	default: // other notifications have no effect
	}
}

// Refuse answers a request that cannot be served. A call that waits under the same
// id is not affected.
func (s *Session) Refuse(id json.RawMessage, f Fault, out Outbox) {
	_ = out.Send(Outgoing{line: f.Response(id), code: f.Code}) // fails only after the end of the connection
}

// Listen sends the messages that belong to no request to out, instead of to the one before.
func (s *Session) Listen(out Outbox) { s.listener.Store(&out) }

// Drain refuses further requests, and returns a channel that is closed when the
// handlers of all earlier ones have returned.
func (s *Session) Drain() <-chan struct{} { return s.calls.drain() }

// startRequest starts a request's handler. It waits for the handlers of requests
// that open a session: later requests depend on the state that they set.
func (s *Session) startRequest(ctx context.Context, m *Message, out Outbox) {
	c := &Call{session: s, out: out, id: m.ID}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	if err := s.calls.begin(c); err != nil {
		c.cancel(nil)
		s.Refuse(m.ID, Fault{mcp.INVALID_REQUEST, err.Error()}, out)
		return
	}
	opens := false
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodServerDiscover:
		if askuser.Handshake(clientOf(m.Params, s.client.Load()).Name) {
			f := Fault{mcp.METHOD_NOT_FOUND, "this server speaks with this client from initialize on"}
			c.finish(f.Response(m.ID), f.Code)
			return
		}
		opens = true
	case mcp.MethodInitialize:
		opens = true
	case mcp.MethodToolsCall:
		c.turn, c.form = s.turns.join(), s.forms.join()
	default:
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		c.serve(m)
	}()
	if opens {
		<-served
	}
}

// handleCancel handles notifications/cancelled. mcp-go does not receive it: it would
// miss calls whose handlers have not started, and confuse the ids 1 and "1".
func (s *Session) handleCancel(m *Message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}
	// A malformed reason does not invalidate the cancel.
	if err := json.Unmarshal(m.Params, &params); err != nil {
		s.Log.Debug("a cancel is malformed", "error", err)
	}
	s.calls.cancel(params.RequestID, params.Reason)
}
