package server

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/tools/askuser"
)

// mcpSession presents a call to mcp-go as a session with one client. It is not
// registered with mcp-go: that serves only to broadcast changes of the tools, which
// never change.
type mcpSession struct{ *Call }

var (
	_ mcpserver.SessionWithClientInfo      = mcpSession{}
	_ mcpserver.SessionWithElicitation     = mcpSession{}
	_ mcpserver.SessionWithLogging         = mcpSession{}
	_ mcpserver.SessionWithProtocolVersion = mcpSession{}
)

// SessionID is unique to the session.
func (s mcpSession) SessionID() string { return s.session.ID }

// Initialize does nothing: a client that calls is initialized.
func (mcpSession) Initialize() {}

func (mcpSession) Initialized() bool { return true }

func (s mcpSession) GetClientInfo() mcp.Implementation { return s.client.Implementation }

func (s mcpSession) GetClientCapabilities() mcp.ClientCapabilities { return s.client.Capabilities }

func (s mcpSession) ProtocolVersion() string { return s.client.ProtocolVersion }

// SetClientInfo stores a value from initialize, as do the next two methods. For a
// request of 2026-07-28, clientOf has read the values already.
func (s mcpSession) SetClientInfo(info mcp.Implementation) {
	s.updateClient(func(c *askuser.Client) { c.Implementation = info })
}

func (s mcpSession) SetClientCapabilities(can mcp.ClientCapabilities) {
	s.updateClient(func(c *askuser.Client) { c.Capabilities = can })
}

func (s mcpSession) SetProtocolVersion(version string) {
	s.updateClient(func(c *askuser.Client) { c.ProtocolVersion = version })
}

func (s mcpSession) SetLogLevel(least mcp.LoggingLevel) { s.session.logLevel.Store(&least) }

// GetLogLevel is for messages of mcp-go, which sends none.
func (mcpSession) GetLogLevel() mcp.LoggingLevel { return mcp.LoggingLevelEmergency }

// SendLog implements [askuser.Transport].
func (c *Call) SendLog(data any) error {
	least, out := c.session.logLevel.Load(), c.session.listener.Load()
	if least == nil || out == nil || !mcp.LoggingLevelNotice.ShouldSendTo(*least) {
		return nil
	}
	line, err := encode(frame{Method: "notifications/message", Params: map[string]any{"level": mcp.LoggingLevelNotice, "logger": Name, "data": data}})
	if err != nil {
		return err
	}
	return (*out).Send(Outgoing{line: line, kind: notification})
}

func (s mcpSession) updateClient(update func(*askuser.Client)) {
	if s.client.Modern {
		return
	}
	client := *s.client
	update(&client)
	s.client = &client
	s.session.client.Store(&client)
}

// clientOf returns the client that sent a request with these params. A request of
// 2026-07-28 describes its client; otherwise the client is known.
func clientOf(params json.RawMessage, known *askuser.Client) *askuser.Client {
	meta := metaOf(params)
	if !mcp.IsModernProtocol(meta.ProtocolVersion()) {
		return known
	}
	client := &askuser.Client{Agent: known.Agent, Prove: known.Prove, Session: known.Session, ProtocolVersion: meta.ProtocolVersion(), Modern: true}
	if info := meta.ClientInfo(); info != nil {
		client.Implementation = *info
	}
	if can := meta.ClientCapabilities(); can != nil {
		client.Capabilities = *can
	}
	return client
}

// RequestElicitation is [Call.Elicit] with mcp-go's types.
func (s mcpSession) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	result, _, err := s.Elicit(ctx, request.Params)
	return result, err
}

// NotificationChannel returns a channel for one notification that mcp-go sends
// during the call, such as the acknowledgement of subscriptions/listen. They are
// sent in order, and before the response if the handler returns after them.
func (s mcpSession) NotificationChannel() chan<- mcp.JSONRPCNotification {
	s.relaying.Lock()
	one := make(chan mcp.JSONRPCNotification, 1)
	go func() {
		defer s.relaying.Unlock()
		n := <-one // mcp-go sends exactly one for each channel
		restoreSubscriptionID(n.Params.Meta)
		if err := s.Notify(n.Method, n.Params); err != nil {
			s.session.Log.Info("a notification was not sent", "method", n.Method, "error", err)
		}
	}()
	return one
}
