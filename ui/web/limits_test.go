package web

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// restart serves the same desk with other limits.
func restart(t testing.TB, old *rig, p patience) *rig {
	t.Helper()
	server, err := New(Options{Desk: old.desk, Decode: decode, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	server.patience = p
	return serve(t, old.desk, server, goleak.IgnoreCurrent())
}

const answerHead = "POST /api/task/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n"

// A client that sends slowly is cut off, and nothing of what it sent counts:
// neither a header without end, nor a body that is short of its length, nor
// one that was whole but for its last byte.
func TestSlowClient(t *testing.T) {
	g := start(t)
	g.stop()
	g = restart(t, g, patience{header: 100 * time.Millisecond, request: 200 * time.Millisecond, response: time.Second})
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
			if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
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
	g.want(413, codeTooLarge, "POST", "/api/task/answer", padded)

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
	if !bytes.Contains(got, []byte("200 OK")) || !bytes.Contains(got, []byte(codeAnswered)) {
		t.Errorf("got %s", got)
	}
	if words := g.reply(rec.ID).Answers[0].Selected; words[0] != "lite" {
		t.Errorf("recorded %v", words)
	}
}

// With 1,000 questions pending the first byte of the list is there within
// 50 ms.
func TestThousandPending(t *testing.T) {
	const count, limit = 1000, 50 * time.Millisecond
	g := start(t)
	var asking sync.WaitGroup
	for session := range 20 {
		asking.Go(func() {
			for range count / 20 {
				set := question.Set{Questions: []question.Question{single("db"), several("features")}}
				if _, err := g.desk.Ask(t.Context(), set, fmt.Sprintf("s%d", session), desk.Asker{Client: "test-agent", Via: "mcp"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	asking.Wait()
	best := time.Hour
	for range 5 {
		r := g.request(http.MethodGet, "/api/questions", "")
		var sent, first time.Time
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			WroteRequest:         func(httptrace.WroteRequestInfo) { sent = time.Now() },
			GotFirstResponseByte: func() { first = time.Now() },
		}))
		a := g.send(r)
		if n := len(decodeJSON[[]entry](t, a.body)); n != count {
			t.Fatalf("%d questions", n)
		}
		best = min(best, first.Sub(sent))
	}
	t.Logf("first byte of %d questions after %v", count, best)
	if best > limit*raceFactor {
		t.Errorf("first byte after %v, limit %v", best, limit)
	}
}
