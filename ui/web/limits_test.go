package web

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/api"
)

// restart serves the same desk anew, with other limits.
func restart(t testing.TB, old *rig, change func(*timeouts)) *rig {
	t.Helper()
	server, err := New(Options{Desk: old.desk, Decode: decode, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	change(&server.timeouts)
	return serve(t, old.desk, server)
}

const answerHead = "POST /api/task/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n"

// raw sends a request as it is, but with the port of the server.
func (g *rig) raw(conn io.Writer, request string) (int, error) {
	return io.WriteString(conn, strings.ReplaceAll(request, "Host: 127.0.0.1\r", "Host: "+g.addr.String()+"\r"))
}

// A client that sends slowly is cut off, and nothing of what it sent counts:
// neither a header without end, nor a body that is short of its length, nor
// one that was whole but for its last byte.
func TestSlowClient(t *testing.T) {
	g := start(t)
	g.stop()
	g = restart(t, g, func(p *timeouts) { p.header, p.request = 2*time.Second, 3*time.Second })
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
			t.Parallel()
			conn, err := net.Dial("tcp", g.addr.String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := g.raw(conn, sent); err != nil {
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

// Whoever stands at the door without a token keeps nobody out: neither those
// that send nothing, nor those that were refused.
func TestCrowdAtTheDoor(t *testing.T) {
	g := start(t)
	known, err := net.Dial("tcp", g.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer known.Close()
	answers := bufio.NewReader(known)
	ask := func() {
		t.Helper()
		_ = known.SetDeadline(time.Now().Add(patient))
		if _, err := g.raw(known, "GET /api/questions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "+token+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(answers, nil)
		if err != nil || resp.StatusCode != http.StatusOK || resp.Close {
			t.Fatalf("one that is known: %v, %v", resp, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	ask()
	crowd := map[string]string{"silent": "", "refused": "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"}
	for name, sent := range crowd {
		t.Run(name, func(t *testing.T) {
			for range 600 {
				conn, err := net.Dial("tcp", g.addr.String())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := g.raw(conn, sent); err != nil {
					t.Fatal(err)
				}
			}
			if a := g.at(t).do(http.MethodGet, "/api/questions", ""); a.status != http.StatusOK {
				t.Errorf("a new one: %d", a.status)
			}
			g.client.CloseIdleConnections()
		})
	}
	ask()
}

// One that was refused is let go.
func TestRefusedIsLetGo(t *testing.T) {
	g := start(t)
	for _, head := range []string{
		"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"GET /api/questions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\n\r\n",
		"GET /?token=x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer " + token + "\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\nAuthorization: Bearer " + token + "\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", g.addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(patient))
		if _, err := g.raw(conn, head); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(conn); err != nil || !bytes.Contains(got, []byte("Connection: close")) {
			t.Errorf("%s: %v\n%s", head, err, got)
		}
	}
}

// What cannot be done now, or here, has a status and a code of its own.
func TestNotNow(t *testing.T) {
	g := start(t)
	g.want(404, api.NoSuchPath, "PUT", "/api/questions", "{}")
	g.want(404, api.SessionNotFound, "GET", "/api/sessions/none", "")
	rec := g.ask("s", single("db"))
	g.store.FailAnswers(desk.ErrUnreachable)
	g.want(503, api.NotSentYet, "POST", "/api/task/answer", `{"session_id":"s","question_id":"db","answer":"pg"}`)
	g.want(503, api.NotSentYet, "POST", "/api/questions/"+rec.ID+"/dismiss", "")
}
