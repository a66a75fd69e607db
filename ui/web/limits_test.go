package web

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/ui/api"
)

// restart serves the same desk anew, with other limits.
func restart(t testing.TB, old *rig, change func(*patience)) *rig {
	t.Helper()
	server, err := New(Options{Desk: old.desk, Decode: decode, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	change(&server.patience)
	return serve(t, old.desk, server, goleak.IgnoreCurrent())
}

const answerHead = "POST /api/task/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n"

// A client that sends slowly is cut off, and nothing of what it sent counts:
// neither a header without end, nor a body that is short of its length, nor
// one that was whole but for its last byte.
func TestSlowClient(t *testing.T) {
	g := start(t)
	g.stop()
	g = restart(t, g, func(p *patience) { p.header, p.request = 100*time.Millisecond, 200*time.Millisecond })
	rec := g.ask("s", single("db"))
	body := `{"session_id":"s","question_id":"db","answer":"pg"}`
	tests := map[string]string{
		"nothing":         "",
		"half a header":   answerHead,
		"no body":         answerHead + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)),
		"most of a body":  answerHead + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)+1, body),
		"chunks, no end":  answerHead + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(body), body),
		"chunk, no bytes": answerHead + "Transfer-Encoding: chunked\r\n\r\nff\r\n",
	}
	for name, sent := range tests {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", g.addr.String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, sent); err != nil {
				t.Fatal(err)
			}
			if err := conn.SetDeadline(time.Now().Add(patient)); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(conn) // until the server closes
			if err != nil {
				t.Errorf("still connected: %v", err)
			}
			if strings.Contains(string(got), " 200 ") {
				t.Errorf("got %s", got)
			}
			g.at(t).pending(rec.ID)
		})
	}
}

func TestOversize(t *testing.T) {
	g := start(t)
	rec := g.ask("s", single("db"))
	body := `{"session_id":"s","question_id":"db","answer":"pg"}`
	padded := body + strings.Repeat(" ", maxBody)
	g.want(413, api.TooLarge, "POST", "/api/task/answer", padded)

	// Without a length, in chunks.
	r := g.request(http.MethodPost, "/api/task/answer", "")
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(padded)), -1
	if a := g.send(r); a.status != 413 {
		t.Errorf("chunked: %d", a.status)
	}
	r = g.request(http.MethodPost, "/api/task/answer", body)
	r.Header.Set("X-Padding", strings.Repeat("x", 2*maxHeader))
	// Cut off while still sending, a client may see the end before the reason.
	if a, err := g.try(r); err == nil && a.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("header: %d", a.status)
	}
	g.pending(rec.ID)
}

// Sending the same answer twice, in one packet, records it once.
func TestDoublePost(t *testing.T) {
	g := start(t)
	rec := g.ask("s", single("db"))
	conn, err := net.Dial("tcp", g.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patient))
	send := func(answer, last string) string {
		body := `{"session_id":"s","question_id":"db","answer":"` + answer + `"}`
		return answerHead + last + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	if _, err := io.WriteString(conn, send("lite", "")+send("pg", "Connection: close\r\n")); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, []byte("200 OK")) || !bytes.Contains(got, []byte(api.AlreadyAnswered)) {
		t.Errorf("got %s", got)
	}
	if words := g.reply(rec.ID).Answers[0].Selected; words[0] != "lite" {
		t.Errorf("recorded %v", words)
	}
}

// More connections than the limit wait to be accepted; each that ends makes
// room for one.
func TestConnectionLimit(t *testing.T) {
	const most = 3
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newLimited(ln, most)
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	for range 2 * most {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	var open []net.Conn
	for range 2 * most {
		if len(open) == most {
			if n := len(l.open); n != most {
				t.Errorf("%d connections count", n)
			}
			_ = open[0].Close()
			_ = open[0].Close() // counts once
			open = open[1:]
		}
		open = append(open, <-accepted)
	}
	for _, conn := range open {
		_ = conn.Close()
	}
	_ = l.Close()
	<-accepted
	if n := len(l.open); n != 0 {
		t.Errorf("%d connections count at the end", n)
	}
}
