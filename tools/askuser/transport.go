package askuser

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Transport is what the tools need of the carrier of a call: standard input and
// output, or HTTP. Each call has its own: the session of mcp-go in the call's context
// implements it. The cause of that context says why a call ended: a *[Cancelled],
// [ErrDisconnected], [ErrClosing], or anything else.
type Transport interface {
	// Client is the program at the other end, as this call shows it.
	Client() Client
	// Directory is the project that the client works in, absolute; empty where
	// it is unknown. It may ask the client, once, and then takes a few seconds
	// at most.
	Directory(ctx context.Context) string
	// Turn waits until every tool call of the session that arrived earlier has
	// released its turn or ended. The caller does what must happen in the order
	// of arrival, and calls release: later calls wait for it. A call that waits
	// for a user must have released its turn. Release is never nil and may be
	// repeated. The error is the cause of ctx's end.
	Turn(ctx context.Context) (release func(), err error)
	// Notify sends a notification that belongs to the call, without waiting for
	// the client. After the call's response or its cancel it is dropped, without
	// an error. The error is ErrDisconnected, or says that params cannot be
	// encoded.
	Notify(method string, params any) error
	// Delivered has f called, once: with true as soon as the handler's result was
	// written whole, before anything else is; with false when it is certain that
	// it will not be, because the call was cancelled, the connection or its
	// output has ended, or an error took the result's place. Only a handler that
	// never returns, or a write that never does, leaves f uncalled. f must be
	// quick: nothing else is written meanwhile. Only the call's handler may call
	// Delivered, before it returns; the last f counts.
	Delivered(f func(written bool))
	// Elicit has the client show a form to its user and waits for the result,
	// until ctx or the call ends. Took is the time since the form was sent and the
	// client can have shown it; before that the form may wait a second for those
	// of calls that arrived earlier. When ctx ends first the client is asked to
	// take the form away, and the error is ctx's cause; ui.ErrCallEnded means
	// that the call ended first. Any other error says why the client would not
	// show the form. The result is as the client sent it: neither its action nor its
	// content is checked. Only a client that declared forms may be asked, and none of
	// 2026-07-28, whose forms are part of a call's result.
	Elicit(ctx context.Context, form mcp.ElicitationParams) (result *mcp.ElicitationResult, took time.Duration, err error)
}

// Client is the program at the other end of a call.
type Client struct {
	mcp.Implementation
	Capabilities    mcp.ClientCapabilities
	ProtocolVersion string // as agreed, or as this call says
	Modern          bool   // every call names its client, and forms are round trips of the call (2026-07-28)
	// Agent is the owner of the token that came with the call; empty where none
	// is needed. What one agent asks is hidden from all others.
	Agent string
	Prove bool // the token has answers to its confirmations proven
	// Session identifies the dialogue where the client names none: it is unique
	// to the connection, and unguessable. It is empty where calls have nothing in
	// common but their agent.
	Session string
}

// Elicits reports whether the client has declared forms. An empty declaration means them.
func (c *Client) Elicits() bool {
	can := c.Capabilities.Elicitation
	return can != nil && (can.Form != nil || can.URL == nil)
}

// ErrDisconnected is the cause of a call's context when the connection to the
// client ended.
var ErrDisconnected = errors.New("the client has disconnected")

// ErrClosing is the cause of a call's context when the server ends. A result that
// follows at once still reaches the client.
var ErrClosing = errors.New("the server is closing")

// Cancelled is the cause of a call's context when the client withdrew the
// call with notifications/cancelled.
type Cancelled struct { //nolint:errname // what the protocol calls it; nothing failed
	Reason string // the client's own words; empty where it gave none
}

func (c *Cancelled) Error() string {
	if c.Reason == "" {
		return "cancelled by the client"
	}
	return "cancelled by the client: " + strings.TrimRight(c.Reason, ".")
}
