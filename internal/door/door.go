// Package door guards everything that this program serves over HTTP: which
// addresses it may listen on, which names and origins are the server's own, and
// how many connections a client without a token can hold.
//
// It imports no other package of the program, and checks no tokens: the code that
// does calls [MarkAuthenticated].
package door

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Listener limits the connections on which no client has authenticated yet. Where
// there are too many, the oldest is closed: idle connections lock no client out.
type Listener struct {
	net.Listener
	MaxAuthenticated   int
	MaxUnauthenticated int
	// AuthTimeout is how long a connection is kept at least before it is closed for
	// a new one. New connections wait meanwhile, so that many clients that connect
	// at once do not close each other's.
	AuthTimeout time.Duration

	mu              sync.Mutex
	unauthenticated []*conn // oldest first
	authenticated   int
	freed           chan struct{} // closed when an unauthenticated connection closes; nil unless makeRoom waits
}

// conn is a connection that the listener has accepted.
type conn struct {
	net.Conn
	listener      *Listener
	since         time.Time
	authenticated bool
	closed        bool
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.makeRoom()
	c := &conn{Conn: accepted, listener: l, since: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unauthenticated = append(l.unauthenticated, c)
	return c, nil
}

// Serve serves the listener's connections, with TLS where the server has it, until
// ctx ends; responses may take for the grace period then. It closes the listener,
// and returns nil after the end of ctx.
func (l *Listener) Serve(ctx context.Context, s *http.Server, grace time.Duration) error {
	s.ConnContext = withConn
	failed := make(chan error, 1)
	go func() {
		if s.TLSConfig != nil {
			failed <- s.ServeTLS(l, "", "")
		} else {
			failed <- s.Serve(l)
		}
	}()
	select {
	case err := <-failed:
		return errors.Join(err, s.Close())
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if s.Shutdown(within) != nil {
		_ = s.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// makeRoom waits until there is room for one more unauthenticated connection.
func (l *Listener) makeRoom() {
	for {
		l.mu.Lock()
		if len(l.unauthenticated) < l.MaxUnauthenticated {
			l.freed = nil
			l.mu.Unlock()
			return
		}
		oldest, freed := l.unauthenticated[0], make(chan struct{})
		l.freed = freed
		l.mu.Unlock()
		select {
		case <-freed:
		case <-time.After(l.AuthTimeout - time.Since(oldest.since)):
			_ = oldest.Close()
		}
	}
}

// free removes an unauthenticated connection. Callers must hold l.mu.
func (l *Listener) free(c *conn) {
	l.unauthenticated = slices.DeleteFunc(l.unauthenticated, func(x *conn) bool { return x == c })
	if l.freed != nil {
		close(l.freed)
		l.freed = nil
	}
}

// Close closes the connection and makes room for another.
func (c *conn) Close() error {
	l := c.listener
	l.mu.Lock()
	switch {
	case c.closed:
	case c.authenticated:
		l.authenticated--
	default:
		l.free(c)
	}
	c.closed = true
	l.mu.Unlock()
	return c.Conn.Close()
}

// markAuthenticated counts the connection as authenticated, and reports whether
// there is room for it.
func (c *conn) markAuthenticated() bool {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.authenticated || c.closed {
		return c.authenticated
	}
	if l.authenticated >= l.MaxAuthenticated {
		return false
	}
	c.authenticated = true
	l.authenticated++
	l.free(c)
	return true
}

type connKey struct{}

// withConn passes the connection of a request to [MarkAuthenticated].
func withConn(ctx context.Context, c net.Conn) context.Context {
	if wrapped, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = wrapped.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// MarkAuthenticated keeps the connection of a request whose client has
// authenticated, and reports whether there is room for it.
func MarkAuthenticated(r *http.Request) bool {
	c, ok := r.Context().Value(connKey{}).(*conn)
	return !ok || c.markAuthenticated()
}
