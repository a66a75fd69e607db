package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
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
	client   atomic.Pointer[askuser.Client] // from initialize
	root     root
	turns    order          // of tool calls
	forms    order          // of the first form of each tool call
	handlers sync.WaitGroup // also those of cancelled calls

	mu        sync.Mutex               // guards all below
	calls     map[string]*Call         // open: neither cancelled nor answered; by raw id
	requests  map[string]chan *Message // of ours, not answered yet; by raw id
	requested int                      // requests so far
	formGone  time.Time                // when the client closed its last form
	draining  bool                     // no call is opened
}

// NewSession returns a session. It starts nothing.
func NewSession(mcp *mcpserver.MCPServer, o Options) *Session {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.ID == "" {
		o.ID = rand.Text()
		o.Dialogue = o.ID
	}
	s := &Session{Options: o, mcp: mcp, calls: map[string]*Call{}, requests: map[string]chan *Message{}}
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
func (s *Session) Receive(ctx context.Context, m *Message, out Sink) {
	switch {
	case m.isResponse():
		s.deliver(m)
	case m.IsRequest():
		s.start(ctx, m, out)
	case m.Method == string(mcp.MethodNotificationCancelled):
		s.cancel(m)
	default: // other notifications have no effect
	}
}

// Refuse answers a request that cannot be served. A call that waits under the same
// id is not affected.
func (s *Session) Refuse(id json.RawMessage, f Fault, out Sink) {
	_ = out.Send(Outgoing{line: f.Response(id), Last: true, Code: f.Code}) // fails only after the end of the connection
}

// Drain refuses further requests, and returns a channel that is closed when the
// handlers of all earlier ones have returned.
func (s *Session) Drain() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
	drained := make(chan struct{})
	go func() {
		s.handlers.Wait()
		close(drained)
	}()
	return drained
}

// start starts a request's handler.
func (s *Session) start(ctx context.Context, m *Message, out Sink) {
	c := &Call{session: s, out: out, id: m.ID, client: s.clientOf(m)}
	c.ctx, c.end = context.WithCancelCause(ctx)
	err := s.open(c)
	if err != nil {
		c.end(nil)
		s.Refuse(m.ID, Fault{mcp.INVALID_REQUEST, err.Error()}, out)
		return
	}
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsCall:
		c.turn, c.form = s.turns.join(), s.forms.join()
	case mcp.MethodInitialize:
		s.initialize(c, m.Params)
		c.serve(m) // its response is the first
		return
	default:
	}
	go c.serve(m)
}

// open opens c and counts its handler. Callers must do so before they take the next
// message, which may be a cancel of c. A call whose handler has returned stays open
// until the response is written. Nothing is written about a call that is not open.
func (s *Session) open(c *Call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return errors.New("the connection is closing")
	}
	if s.calls[string(c.id)] != nil {
		return errors.New("a request with this id is already waiting")
	}
	s.calls[string(c.id)] = c
	s.handlers.Add(1)
	return nil
}

// cancel handles notifications/cancelled. mcp-go does not receive it: it would
// miss calls whose handlers have not started, and confuse the ids 1 and "1". An
// unknown id is ignored: some clients cancel calls that have long ended.
func (s *Session) cancel(m *Message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}
	// A malformed reason does not invalidate the cancel.
	err := json.Unmarshal(m.Params, &params)
	if err != nil {
		s.Log.Debug("a cancel is malformed", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[string(params.RequestID)]
	if c != nil {
		delete(s.calls, string(c.id))
		c.end(&askuser.Cancelled{Reason: params.Reason})
	}
}

// clientOf returns the client that sent a request. A request of 2026-07-28 describes its
// client; any other comes from the client that sent initialize.
func (s *Session) clientOf(m *Message) *askuser.Client {
	known, meta := s.client.Load(), metaOf(m.Params)
	if !mcp.IsModernProtocol(meta.ProtocolVersion()) {
		return known
	}
	client := *known
	client.Modern, client.ProtocolVersion = true, meta.ProtocolVersion()
	client.Implementation = *cmp.Or(meta.ClientInfo(), &mcp.Implementation{})
	client.Capabilities = *cmp.Or(meta.ClientCapabilities(), &mcp.ClientCapabilities{})
	return &client
}

// initialize stores the client that initialize describes, before the next message is
// taken: later requests depend on it.
func (s *Session) initialize(c *Call, params json.RawMessage) {
	var p mcp.InitializeParams
	if c.client.Modern || json.Unmarshal(params, &p) != nil {
		return // mcp-go refuses it
	}
	client := *c.client
	client.Implementation, client.Capabilities = p.ClientInfo, p.Capabilities
	client.ProtocolVersion = mcp.NegotiateLegacyVersion(p.ProtocolVersion)
	s.client.Store(&client)
}
