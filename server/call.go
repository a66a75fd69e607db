package server

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/tools/askuser"
)

// Call is one request of the client. What it sends goes into the outbox that
// came with the request.
type Call struct {
	session *Session
	out     Outbox
	id      json.RawMessage
	ctx     context.Context // ends with the call
	cancel  context.CancelCauseFunc
	place   place           // in session.order
	form    place           // in session.forms
	client  *askuser.Client // shared, never changed

	// delivered is set by the handler, and called by whoever decides what
	// becomes of its response.
	delivered func(written bool)

	// Of a call that waits:
	step    func(ctx context.Context) (*mcp.CallToolResult, error)
	woken   atomic.Int64        // how often since its last step began; 0: it rests
	instead *mcp.CallToolResult // what the handler has returned

	// Guarded by session.requests:
	asked []string // raw ids of the requests to the client that belong to the call
	ended bool

	relaying sync.Mutex // held while a notification of mcp-go's is on its way
}

var _ askuser.Transport = (*Call)(nil)

// Agent is who the token belongs to that came with the call.
func (k *Call) Agent() string { return k.session.Agent }

// Session is the dialogue that the session stands for.
func (k *Call) Session() string { return k.session.Dialogue }

// Directory is what the transport was told to be the client's project, or else
// the first of the client's roots.
func (k *Call) Directory(ctx context.Context) string {
	if k.session.Directory != "" || k.client.Modern || k.client.Capabilities.Roots == nil {
		return k.session.Directory
	}
	return k.session.roots.first(ctx, k)
}

// Client is who calls. A request of 2026-07-28 says so itself; any other is
// from whoever sent initialize.
func (k *Call) Client() askuser.Client { return *k.client }

// Turn implements [askuser.Transport]. Only tool calls wait for each other.
func (k *Call) Turn(ctx context.Context) (placed func(), err error) {
	return func() { k.session.order.leave(&k.place) }, k.session.order.wait(ctx, &k.place)
}

// Prepare implements [askuser.Transport].
func (k *Call) Prepare(method string, params any) (send func() error) {
	line, err := encode(frame{Method: method, Params: params})
	return func() error {
		if err != nil {
			return err
		}
		return k.out.Send(Outgoing{line: line, call: k, kind: notification})
	}
}

// Later implements [askuser.Transport].
func (k *Call) Later(step func(ctx context.Context) (*mcp.CallToolResult, error)) (wake func()) {
	k.step = step
	k.woken.Store(1) // until the handler has returned
	return k.wake
}

func (k *Call) wake() {
	if k.woken.Add(1) == 1 {
		go k.goOn()
	}
}

// Delivered implements [askuser.Transport].
func (k *Call) Delivered(f func(written bool)) { k.delivered = f }

// tell says what became of the response, once.
func (k *Call) tell(written bool) {
	if f := k.delivered; f != nil {
		k.delivered = nil
		f(written)
	}
}
