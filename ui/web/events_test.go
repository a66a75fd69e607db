package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// checked returns the next event, which must be as openapi.json describes it.
func (l *listener) checked(name string) map[string]any {
	l.t.Helper()
	ev, ok := l.next()
	for ok && ev.name == api.ChangeEvent { // askers come and go
		ev, ok = l.next()
	}
	if !ok || ev.name != name {
		l.t.Fatalf("event %q (%v), want %q", ev.name, ok, name)
	}
	_, kind, _ := strings.Cut(name, "question:")
	schema := strings.ToUpper(kind[:1]) + kind[1:] + "Event"
	if err := document(l.t).validate("/components/schemas/"+schema, []byte(ev.data)); err != nil {
		l.t.Errorf("%s: %v\n%s", name, err, ev.data)
	}
	return decodeJSON[map[string]any](l.t, []byte(ev.data))
}

// Each question that is asked, answered, dismissed or withdrawn is an event. An event is one line of
// JSON: a text of an agent cannot add an event of its own.
func TestEvents(t *testing.T) {
	g := start(t)
	l := g.listen()
	hostile := text("x\n\nevent: ask:question:response\ndata: {}\n\n")
	hostile.Text = "a\r\n\r\ndata: b\u2028</script>"
	rec := g.submit(desk.Request{
		Set: question.Set{Questions: []question.Question{several("features"), hostile},
			Metadata: map[string]any{"source": "test"}},
		Session: "s\n\nevent: y\n\n", Asker: desk.Asker{Client: "test-agent", Via: "mcp"},
	})
	got := l.checked(api.RequestEvent)
	metadata := got["metadata"].(map[string]any)
	if got["id"] != rec.ID || got["agentId"] != "test-agent" || got["sessionId"] != rec.SessionID ||
		metadata["source"] != "test" {
		t.Errorf("request: %v", got)
	}
	second := got["questions"].([]any)[1].(map[string]any)
	if second["question"] != hostile.Text || second["question_id"] != hostile.ID {
		t.Errorf("arrived as %v", second)
	}
	g.task(200, "", `{"id":"`+rec.ID+`","answers":{"features":["pg","lite"],"question-1":"a\nevent: x\n\n"}}`)
	got = l.checked(api.ResponseEvent)
	answers := got["answers"].(map[string]any)
	right := answers["question-0"] == "PostgreSQL,SQLite, embedded" && answers["question-1"] == "a\nevent: x"
	if !right || got["status"] != "answered" || got["surface"] != "web" {
		t.Errorf("response: %v", got)
	}

	rec = g.ask("s", single("db"))
	l.checked(api.RequestEvent)
	g.want(200, "", "POST", "/api/questions/"+rec.ID+"/dismiss", "")
	if got = l.checked(api.ResponseEvent); got["status"] != "dismissed" || len(got["answers"].(map[string]any)) != 0 {
		t.Errorf("dismissed: %v", got)
	}
	rec = g.ask("s", single("db"))
	l.checked(api.RequestEvent)
	g.want(200, "", "POST", "/api/questions/"+rec.ID+"/cancel", `{"reason":"\n\nevent: z\n\n"}`)
	if got = l.checked(api.CancelEvent); got["status"] != "cancelled" || got["id"] != rec.ID {
		t.Errorf("cancel: %v", got)
	}
}

// stuck is a client that does not read: what is written to it fails at the deadline.
type stuck struct {
	httptest.ResponseRecorder
	until time.Time
}

func (s *stuck) SetReadDeadline(time.Time) error        { return nil }
func (s *stuck) SetWriteDeadline(until time.Time) error { s.until = until; return nil }
func (s *stuck) Write([]byte) (int, error)              { return 0, os.ErrDeadlineExceeded }

// A client that does not read is dropped after the time for a response, and the page counts as open
// no more.
func TestSlowStream(t *testing.T) {
	g := startTimed(t, func(p *timeouts) { p.response = time.Hour })
	client := &stuck{}
	page := context.WithValue(t.Context(), senderKey{}, sender{browser: true})
	err := g.server.events(client, g.request(http.MethodGet, "/api/events", "").WithContext(page))
	if left := time.Until(client.until); err != nil || left > time.Hour || left < time.Hour-patient {
		t.Errorf("%v, with %v left", err, left)
	}
	if open := must(g.desk.Present(t.Context())); len(open) > 0 {
		t.Errorf("%v are open", open)
	}
}

// A stream outlasts the time in which a request must arrive, and ends with the server.
func TestStreamLasts(t *testing.T) {
	g := startTimed(t, func(p *timeouts) { p.header, p.request, p.grace = time.Second, time.Second, time.Hour })
	l := g.listen()
	slow, err := net.Dial("tcp", g.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	_ = slow.SetDeadline(time.Now().Add(patient))
	// The server gives up on it after that time: it is the clock of this test.
	if _, err := slow.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	rec := g.ask("s", single("db"))
	if got := l.checked(api.RequestEvent); got["id"] != rec.ID {
		t.Errorf("heard %v", got)
	}
	g.stop()
	for ev, ok := l.next(); ok; ev, ok = l.next() {
		if ev.name != api.ChangeEvent { // the asker that leaves
			t.Errorf("heard %v after the end", ev)
		}
	}
}

// raw sends a request as it is, but with the port of the server.
func (g *rig) raw(conn io.Writer, request string) {
	g.t.Helper()
	if _, err := io.WriteString(conn,
		strings.ReplaceAll(request, "Host: 127.0.0.1\r", "Host: "+g.addr.String()+"\r")); err != nil {
		g.t.Fatal(err)
	}
}

// A client that sends slowly is cut off, and nothing of what it sent counts: neither a header
// without end, nor a body that is short of its length, nor one that was whole but for its last byte.
func TestSlowClient(t *testing.T) {
	g := startTimed(t, func(p *timeouts) { p.header, p.request = 500*time.Millisecond, time.Second })
	rec := g.ask("s", single("db"))
	body := `{"session_id":"s","question_id":"db","answer":"pg"}`
	const head = "POST /api/task/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n"
	for name, sent := range map[string]string{
		"nothing":         "",
		"half a header":   head,
		"no body":         head + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)),
		"most of a body":  head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)+1, body),
		"chunks, no end":  head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(body), body),
		"chunk, no bytes": head + "Transfer-Encoding: chunked\r\n\r\nff\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", g.addr.String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			g.at(t).raw(conn, sent)
			_ = conn.SetDeadline(time.Now().Add(patient))
			got, err := io.ReadAll(conn) // until the server closes
			if err != nil || bytes.Contains(got, []byte(" 200 ")) {
				t.Errorf("%v, got %s", err, got)
			}
			g.at(t).pending(rec.ID)
		})
	}
}

// Connections without a token keep no client out, neither one that is known nor a new one.
func TestCrowdAtTheDoor(t *testing.T) {
	g := start(t)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", g.addr.String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(patient))
		return conn
	}
	known := dial()
	answers := bufio.NewReader(known)
	ask := func() {
		t.Helper()
		g.raw(known, "GET /api/questions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "+token+"\r\n\r\n")
		resp, err := http.ReadResponse(answers, nil)
		if err != nil || resp.StatusCode != http.StatusOK || resp.Close {
			t.Fatalf("one that is known: %v, %v", resp, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	ask()
	for range 200 {
		dial() // sends nothing
		g.raw(dial(), "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	}
	if a := g.do(http.MethodGet, "/api/questions", ""); a.status != http.StatusOK {
		t.Errorf("a new one: %d", a.status)
	}
	ask()
}
