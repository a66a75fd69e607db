package server

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// session is what mcp-go and the tools see of the connection. Unlike
// mcp-go's it belongs to one connection, not to the process (FACTS 5.9).
//
// What the client said about itself is kept from initialize or from the last
// request of a 2026-07-28 client. For such a client each request says it
// anew: see mcpserver.RequestProtocolInfoFromContext.
type session struct {
	id          string
	writer      *writer
	requests    *requests
	initialized atomic.Bool

	mu           sync.Mutex
	client       mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
}

var (
	_ mcpserver.SessionWithClientInfo      = (*session)(nil)
	_ mcpserver.SessionWithElicitation     = (*session)(nil)
	_ mcpserver.SessionWithProtocolVersion = (*session)(nil)
)

func newSession(id string, writer *writer, disconnected <-chan struct{}) *session {
	return &session{id: id, writer: writer, requests: newRequests(writer, disconnected)}
}

// SessionID is unique to this connection.
func (s *session) SessionID() string { return s.id }

// Initialize marks the session as open.
func (s *session) Initialize() { s.initialized.Store(true) }

// Initialized reports whether the client has opened the session.
func (s *session) Initialized() bool { return s.initialized.Load() }

// NotificationChannel takes mcp-go's own notifications, such as the
// acknowledgement of subscriptions/listen. They are written in order, and
// before the response of a handler that returns after sending them.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.writer.notifications }

// GetClientInfo is the client's name and version, as it gave them.
func (s *session) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// SetClientInfo keeps the client's name and version.
func (s *session) SetClientInfo(client mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = client
}

// GetClientCapabilities is what the client declared.
func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilities
}

// SetClientCapabilities keeps what the client declared.
func (s *session) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = capabilities
}

// ProtocolVersion is the version agreed on by initialize, "" without one.
func (s *session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// SetProtocolVersion keeps the version agreed on by initialize.
func (s *session) SetProtocolVersion(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
}

var errNoRequest = errors.New("the context belongs to no request")

// Notify sends a notification that belongs to the request of ctx. It is
// dropped silently once that request has been responded to or cancelled:
// progress must never follow the response. It does not block.
//
// It fails when params cannot be encoded, when ctx belongs to no request, and
// with askuser.ErrDisconnected when the connection has ended.
func (s *session) Notify(ctx context.Context, method string, params any) error {
	k, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return errNoRequest
	}
	data, err := encodeNotification(method, params)
	if err != nil {
		return err
	}
	return s.writer.send(line{data: data, call: k})
}

// Delivered has f told, once, whether the response to the request of ctx was
// written, and not dropped because the client had cancelled it or was gone. At
// the end of the connection f may not be called at all. It is called between
// two lines of output, and must not block. Only the request's handler may call
// Delivered, before it returns; the last f counts.
func (s *session) Delivered(ctx context.Context, f func(written bool)) error {
	k, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return errNoRequest
	}
	k.delivered = f
	return nil
}
