package askuser

import (
	"context"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Transport is what the tools need of whatever carries a call: standard input
// and output, or HTTP. There is one for each call, and the transport puts it
// into the call's context with [WithTransport]. Why a call ended is the cause
// of that context: a *[Cancelled], [ErrDisconnected], [ErrClosing], or anything
// else.
type Transport interface {
	// Agent is who the token that came with the call belongs to; empty where
	// none is needed. What one agent asks is hidden from all others.
	Agent() string
	// Session stands for the dialogue where the client names none: it is unique
	// to the connection, and unguessable. It is empty where calls have nothing
	// in common but their agent.
	Session() string
	// Client is who is at the other end, as this call shows it.
	Client() Client
	// Directory is the project that the client works in, absolute; empty
	// where nobody knows. It may have to ask the client, once, and then waits
	// a few seconds at most.
	Directory(ctx context.Context) string
	// Turn waits until every tool call of the session that arrived earlier has
	// taken its place or has ended. The caller then takes its own place and
	// calls placed, soon: others wait for it. Every tool whose calls may wait
	// must do so, for a call that does not holds up all later ones until it
	// has ended. Placed is never nil and may be called again. The error is the
	// cause of ctx's end.
	Turn(ctx context.Context) (placed func(), err error)
	// Prepare encodes a notification that belongs to the call. Send, which is quick,
	// sends it, and drops in silence what comes after the call's response or its
	// cancel; its error is ErrDisconnected, or says that params cannot be encoded.
	// Many that are sent together reach the client together.
	Prepare(method string, params any) (send func() error)
	// Delivered has f called, once: with true in the same breath in which the
	// handler's result was written whole, before anything else is; with false
	// when it is certain that it will not be, because the call was cancelled,
	// the connection or its output has ended, or an error took the result's
	// place. Only a handler that never returns, or a write that never does,
	// leaves f uncalled. f must be quick: nothing else is written meanwhile.
	// Only the call's handler, or its step, may call Delivered, before it returns;
	// the last f counts.
	Delivered(f func(written bool))
	// Later has the call wait, once its handler has returned, without a goroutine
	// and its stack: thousands do. Step is run then, again after each wake and when
	// the call's context ends, never twice at a time, until it returns a result,
	// which takes the place of the handler's, or an error. Wake is quick, and may be
	// called at any time, by anybody. Only the handler may call Later; one that
	// returns an error does not wait after all.
	Later(step func(ctx context.Context) (*mcp.CallToolResult, error)) (wake func())
	// Elicit has the client put a form to its user and waits for the result,
	// as long as both ctx and the call last. Took is at most the time since the client
	// can have shown the form; before that it may wait a second for the forms of calls
	// that arrived earlier. When ctx ends first the client is
	// told to take the form away, and the error is ctx's cause; ui.ErrCallEnded
	// means that the call was first to end. Any other error says why the
	// client would not show the form. The result's action is one of the
	// specification's three; its content is not checked against the form.
	// Clients of 2026-07-28 cannot be asked this way: their forms are handed
	// out by the result of a call.
	Elicit(ctx context.Context, form mcp.ElicitationParams) (result *mcp.ElicitationResult, took time.Duration, err error)
}

// Client is the program at the other end of a call.
type Client struct {
	mcp.Implementation
	Capabilities    mcp.ClientCapabilities
	ProtocolVersion string // as agreed, or as this call says
	Modern          bool   // every call says anew who it is from, and forms are round trips of the call (2026-07-28)
}

// Elicits reports whether the client has declared forms of this mode. An empty
// declaration means forms alone, as does an empty mode.
func (c *Client) Elicits(mode string) bool {
	can := c.Capabilities.Elicitation
	switch {
	case can == nil:
		return false
	case mode == mcp.ElicitationModeURL:
		return can.URL != nil
	default:
		return can.Form != nil || can.URL == nil
	}
}

// ErrDisconnected is the cause of a call's context when the connection to the
// client ended.
var ErrDisconnected = errors.New("the client has disconnected")

// ErrClosing is the cause of a call's context when the server ends, and a
// result that comes at once still reaches the client.
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
	return "cancelled by the client: " + c.Reason
}

type transportKey struct{}

// WithTransport returns a context for a call that t carries.
func WithTransport(ctx context.Context, t Transport) context.Context {
	return context.WithValue(ctx, transportKey{}, t)
}

// transportOf returns what carries the call of ctx. That there is none is a
// mistake of the program's, not of a client's.
func transportOf(ctx context.Context) Transport {
	t, ok := ctx.Value(transportKey{}).(Transport)
	if !ok {
		panic("askuser: the context of a call has no Transport; whatever serves MCP must put one in")
	}
	return t
}
