// Package door is what stands before everything that this program serves over
// HTTP: who may listen where, which names and origins are the server's own, and
// few places for those who have not shown that they may come in.
//
// It imports nothing of ours. It knows no token: whoever looks at one calls
// [Welcome].
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

// Listener is a listener with few places for connections on which nobody has
// shown yet that they may come in. Where there is none left, the one that has
// had its place longest goes: whoever only stands there keeps nobody out.
type Listener struct {
	net.Listener
	Known     int // places for those who were welcomed
	Strangers int // places for all others
	// Least is how long a stranger has its place at least. Others wait in front
	// of the door meanwhile: many who come at once do not push each other out.
	Least time.Duration

	mu        sync.Mutex
	strangers []*guest // oldest first
	known     int
	freed     chan struct{} // has a value after a place became free; nil unless somebody waits
}

// guest is a connection through the door.
type guest struct {
	net.Conn
	door  *Listener
	since time.Time
	known bool
	gone  bool
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.makeRoom()
	g := &guest{Conn: conn, door: l, since: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strangers = append(l.strangers, g)
	return g, nil
}

// Serve serves what comes through the door, with TLS where the server has it, until
// ctx ends; responses have so long to end then. It closes the listener, and returns
// nil after the end of ctx.
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

// makeRoom returns when there is a place for one more stranger.
func (l *Listener) makeRoom() {
	for {
		l.mu.Lock()
		if len(l.strangers) < l.Strangers {
			l.freed = nil
			l.mu.Unlock()
			return
		}
		oldest, freed := l.strangers[0], make(chan struct{})
		l.freed = freed
		l.mu.Unlock()
		select {
		case <-freed:
		case <-time.After(l.Least - time.Since(oldest.since)):
			_ = oldest.Close()
		}
	}
}

// free says that a stranger has left its place. The lock is held.
func (l *Listener) free(g *guest) {
	l.strangers = slices.DeleteFunc(l.strangers, func(x *guest) bool { return x == g })
	if l.freed != nil {
		close(l.freed)
		l.freed = nil
	}
}

// Close makes room for another.
func (g *guest) Close() error {
	l := g.door
	l.mu.Lock()
	switch {
	case g.gone:
	case g.known:
		l.known--
	default:
		l.free(g)
	}
	g.gone = true
	l.mu.Unlock()
	return g.Conn.Close()
}

// know gives the connection a place among those that are known, and reports
// whether there is one.
func (g *guest) know() bool {
	l := g.door
	l.mu.Lock()
	defer l.mu.Unlock()
	if g.known || g.gone {
		return g.known
	}
	if l.known >= l.Known {
		return false
	}
	g.known = true
	l.known++
	l.free(g)
	return true
}

type guestKey struct{}

// withConn hands the connection of a request on to [Welcome].
func withConn(ctx context.Context, conn net.Conn) context.Context {
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = wrapped.NetConn()
	}
	return context.WithValue(ctx, guestKey{}, conn)
}

// Welcome keeps the connection of a client that may come in, and reports
// whether there is a place for it.
func Welcome(r *http.Request) bool {
	g, ok := r.Context().Value(guestKey{}).(*guest)
	return !ok || g.know()
}
