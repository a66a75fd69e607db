package web

import (
	"bufio"
	"net"
	"net/http"
	"testing"
)

// A program that opens many connections at once gets a response on each: a connection has its time
// to send the token before a new one takes its place.
func TestManyConnectionsAtOnce(t *testing.T) {
	g := startTimed(t, func(p *timeouts) { p.auth, p.header = 100*p.auth, 100*p.header })
	connections := make([]net.Conn, 2*maxStrangers)
	for i := range connections {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", g.addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		connections[i] = conn
	}
	for i, conn := range connections {
		err := g.request(http.MethodGet, "/api/questions", "").Write(conn)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("connection %d: %s", i, resp.Status)
		}
	}
}
