// Package door is what stands before everything that this program serves over
// HTTP: who may listen where, which names and origins are the server's own, and
// few places for those who have not shown that they may come in.
//
// It imports nothing of ours. It knows no token: whoever looks at one calls
// [Welcome].
package door

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// Listener is a listener with few places for connections on which nobody has
// shown yet that they may come in. Where there is none left, the one that has
// had its place longest goes: whoever only stands there keeps nobody out.
type Listener struct {
	net.Listener
	Known     int // places for those who were welcomed
	Strangers int // places for all others

	mu        sync.Mutex
	strangers []*guest // oldest first
	known     int
}

// guest is a connection through the door.
type guest struct {
	net.Conn
	door  *Listener
	known bool
	gone  bool
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &guest{Conn: conn, door: l}
	l.mu.Lock()
	l.strangers = append(l.strangers, g)
	var over *guest
	if len(l.strangers) > l.Strangers {
		over = l.strangers[0]
	}
	l.mu.Unlock()
	if over != nil {
		_ = over.Close()
	}
	return g, nil
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
		l.strangers = slices.DeleteFunc(l.strangers, func(x *guest) bool { return x == g })
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
	l.strangers = slices.DeleteFunc(l.strangers, func(x *guest) bool { return x == g })
	return true
}

type guestKey struct{}

// WithConn hands the connection of a request on to [Welcome]. It is for
// http.Server.ConnContext.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
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
