package web

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
)

// heard is one event of a stream.
type heard struct{ name, data string }

// listener is a client of GET /api/events.
type listener struct {
	t  testing.TB
	in *bufio.Scanner

	close func() error
}

// listen connects a stream; it hears of everything that happens after it
// returned.
func (g *rig) listen() *listener {
	g.t.Helper()
	resp, err := g.client.Do(g.request(http.MethodGet, "/api/events", ""))
	if err != nil {
		g.t.Fatal(err)
	}
	fault := document(g.t).check(http.MethodGet, "/api/events", response{status: resp.StatusCode, header: resp.Header})
	if fault != nil || resp.StatusCode != http.StatusOK {
		g.t.Fatalf("events: %s, %v", resp.Status, fault)
	}
	g.t.Cleanup(func() { _ = resp.Body.Close() })
	l := &listener{g.t, bufio.NewScanner(resp.Body), resp.Body.Close}
	l.in.Buffer(nil, 1<<20)
	if !l.in.Scan() || !strings.HasPrefix(l.in.Text(), "retry:") || !l.in.Scan() {
		g.t.Fatalf("the stream begins with %q", l.in.Text())
	}
	return l
}

// next returns the next event; ok is false when the stream has ended.
func (l *listener) next() (ev heard, ok bool) {
	for l.in.Scan() {
		line := l.in.Text()
		name, isName := strings.CutPrefix(line, "event: ")
		data, isData := strings.CutPrefix(line, "data: ")
		switch {
		case isName:
			ev.name = name
		case isData:
			ev.data = data
		case line == "":
			return ev, true
		}
	}
	return ev, false
}
