package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// idle is a client of a stream that takes what is written.
type idle struct {
	httptest.ResponseRecorder
	until time.Time // the last deadline of a write
}

func (c *idle) SetWriteDeadline(until time.Time) error { c.until = until; return nil }

// Between two events a stream has no deadline: over HTTP/2, which pages with a certificate use, a
// deadline ends a stream on which nothing is written.
func TestIdleStreamHasNoDeadline(t *testing.T) {
	g := start(t)
	client := &idle{until: time.Now()}
	if !g.server.push(client, http.NewResponseController(client), []byte("retry: 1000\n\n")) || !client.until.IsZero() {
		t.Errorf("the stream ends at %v", client.until)
	}
}
