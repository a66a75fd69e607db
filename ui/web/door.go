package web

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// The places of a door: for clients that have shown that they may come in, and
// for those that have not.
const (
	maxKnown     = 480
	maxStrangers = 32
)

// door is a listener with few places for connections on which nobody has shown
// a token or cookie yet. Where there is none left, the one that has had its
// place longest goes: whoever only stands there keeps nobody out.
type door struct {
	net.Listener
	mu        sync.Mutex
	strangers []*guest // oldest first
	known     int
}

// guest is a connection through the door.
type guest struct {
	net.Conn
	door  *door
	known bool
	gone  bool
}

func (d *door) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &guest{Conn: conn, door: d}
	d.mu.Lock()
	d.strangers = append(d.strangers, g)
	var over *guest
	if len(d.strangers) > maxStrangers {
		over = d.strangers[0]
	}
	d.mu.Unlock()
	if over != nil {
		_ = over.Close()
	}
	return g, nil
}

// Close makes room for another.
func (g *guest) Close() error {
	d := g.door
	d.mu.Lock()
	switch {
	case g.gone:
	case g.known:
		d.known--
	default:
		d.strangers = slices.DeleteFunc(d.strangers, func(x *guest) bool { return x == g })
	}
	g.gone = true
	d.mu.Unlock()
	return g.Conn.Close()
}

// know gives the connection a place among those that are known, and reports
// whether there is one.
func (g *guest) know() bool {
	d := g.door
	d.mu.Lock()
	defer d.mu.Unlock()
	if g.known || g.gone {
		return g.known
	}
	if d.known >= maxKnown {
		return false
	}
	g.known = true
	d.known++
	d.strangers = slices.DeleteFunc(d.strangers, func(x *guest) bool { return x == g })
	return true
}

type guestKey struct{}

// withGuest hands the connection of a request on to [welcome].
func withGuest(ctx context.Context, conn net.Conn) context.Context {
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = wrapped.NetConn()
	}
	return context.WithValue(ctx, guestKey{}, conn)
}

// welcome keeps the connection of a client that may come in. One for which
// there is no place goes after its answer, like a stranger's.
func welcome(w http.ResponseWriter, r *http.Request) {
	if g, ok := r.Context().Value(guestKey{}).(*guest); ok && !g.know() {
		dismissAfter(w)
	}
}

// dismissAfter closes the connection after its answer.
func dismissAfter(w http.ResponseWriter) { w.Header().Set("Connection", "close") }
