package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/door"
	"mcp-askuser/server/tokens"
)

// Path is where MCP is served.
const Path = "/mcp"

// The limits of one server.
const (
	maxBody   = 1 << 20  // bytes of a message, far above any question set
	maxHeader = 16 << 10 // bytes of a request's header

	readTimeout  = 15 * time.Second // for a whole request; with less, a busy machine may not read it in time
	writeTimeout = 30 * time.Second // for the client to take what is written
	idleTimeout  = 2 * time.Minute  // between two requests of a connection

	// shutdownTimeout is how long responses may take when the server ends.
	shutdownTimeout = time.Second
)

// Options are what a server needs. Tokens is required.
type Options struct {
	Tokens *tokens.Store
	Log    *slog.Logger // nil disables logging
	Host   string       // where it listens: an IP address or a name; empty: everywhere
	TLS    *tls.Config  // nil: plain HTTP, on this machine only
	// Heartbeat is the interval at which a response that waits shows that the
	// server is alive, and ends if its token was removed; 0 is 15 s.
	Heartbeat time.Duration
	// Sessions is how many of one token may be open at once; 0 is 4096. Each request
	// of 2026-07-28 is one.
	Sessions int
}

// Server is MCP over HTTP.
type Server struct {
	Options
	mcp      *mcpserver.MCPServer
	sessions *sessions
	streams  sync.WaitGroup
	logged   atomic.Value // a string: the last reason why tokens cannot be read that was logged
}

// New returns a server. It starts nothing.
func New(mcp *mcpserver.MCPServer, o Options) *Server {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Heartbeat = cmp.Or(o.Heartbeat, 15*time.Second)
	return &Server{Options: o, mcp: mcp, sessions: &sessions{max: cmp.Or(o.Sessions, 4096), all: map[string]*session{}}}
}

// Listen opens the listener on a port, 0 for a free one. The error wraps
// door.ErrExposed where others could reach it and there is no TLS.
func (s *Server) Listen(ctx context.Context, port string) (net.Listener, error) {
	address := net.JoinHostPort(s.Host, port)
	if s.TLS == nil && !door.Loopback(s.Host) {
		return nil, fmt.Errorf("%w: others can reach %s. Give a certificate and its key (--tls-cert, --tls-key)",
			door.ErrExposed, address)
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	return ln, nil
}

// Address is where MCP is served on a listener.
func (s *Server) Address(ln net.Addr) string { return door.URL(ln, s.TLS).String() + Path }

// Serve serves on ln until ctx ends, and closes it. Calls that wait then return
// with their tickets. It returns nil after the end of ctx.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	requests, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler:        s.Handler(),
		TLSConfig:      s.TLS,
		ReadTimeout:    readTimeout,
		WriteTimeout:   writeTimeout,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeader,
		BaseContext:    func(net.Listener) context.Context { return requests },
		ErrorLog:       slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(func() { s.sessions.endAll() })
	err := door.Serve(ctx, server, ln, shutdownTimeout)
	s.sessions.endAll() // also where it could not serve
	end()
	s.streams.Wait()
	if err != nil {
		return fmt.Errorf("http: %w", err)
	}
	return nil
}

// Handler returns everything that is served, with all checks but those of
// connections.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case !door.OwnHost(r, s.Host, s.TLS):
			reject(w, http.StatusForbidden, "this server does not go by that name")
			return
		case !door.OwnOrigin(r):
			reject(w, http.StatusForbidden, "requests from web pages are refused")
			return
		case r.URL.Path != Path: // also for OAuth metadata: the server has none
			reject(w, http.StatusNotFound, "MCP is served at "+Path)
			return
		}
		token, ok, err := s.identify(r)
		switch {
		case err != nil && !errors.Is(err, tokens.ErrDamaged):
			reject(w, http.StatusInternalServerError, "the tokens cannot be read; see the server's log")
			return
		case !ok:
			w.Header().Set("WWW-Authenticate", "Bearer")
			reject(w, http.StatusUnauthorized, "the token is missing or not good (any more); "+
				`"mcp-askuser token add NAME" makes one, to be sent as "Authorization: Bearer TOKEN"`)
			return
		case r.Method != http.MethodPost && mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
			notAllowed(w, http.MethodPost)
			return
		}
		switch r.Method {
		case http.MethodPost:
			s.post(w, r, token)
		case http.MethodDelete:
			s.delete(w, r, token)
		default:
			notAllowed(w, "POST, DELETE") // GET is a stream of messages that belong to no request: there are none
		}
	})
}

// identify returns the token of a request. It logs why tokens cannot be read, unless it
// logged the same reason last: any client can cause it with any token.
func (s *Server) identify(r *http.Request) (t tokens.Token, ok bool, err error) {
	token, ok := door.Bearer(r)
	if !ok {
		return t, false, nil
	}
	t, ok, err = s.Tokens.Check(token)
	if err != nil && s.logged.Swap(err.Error()) != err.Error() {
		s.Log.Error("tokens cannot be read", "error", err)
	}
	return t, ok, err
}

// reject refuses a request, and closes its connection.
func reject(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	http.Error(w, why, status)
}

func notAllowed(w http.ResponseWriter, methods string) {
	w.Header().Set("Allow", methods)
	http.Error(w, "this method is not served here", http.StatusMethodNotAllowed)
}
