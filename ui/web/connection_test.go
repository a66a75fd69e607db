package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui/api"
)

// dial opens a connection, which ends with the test.
func (g *rig) dial() net.Conn {
	g.t.Helper()
	conn, err := net.Dial("tcp", g.addr.String())
	fatal.If(g.t, err)
	g.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patient))
	return conn
}

// A client that sends slowly is cut off, and nothing of what it sent counts: neither a header
// without end, nor a body that is short of its length, nor one that was whole but for its last byte.
// A stream outlasts the time in which a request must arrive, and ends with the server.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	g := startTimed(t, func(p *timeouts) {
		p.header, p.request, p.grace = 500*time.Millisecond, time.Second, time.Hour
	})
	rec, l := g.ask("s", single("db")), g.listen()
	body := `{"session_id":"s","question_id":"db","answer":"pg"}`
	head := "POST /api/task/answer HTTP/1.1\r\nHost: " + g.addr.String() + "\r\nAuthorization: Bearer " + token + "\r\n"
	slow := map[string]net.Conn{}
	for name, sent := range map[string]string{
		"half a header":  head,
		"most of a body": head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)+1, body),
		"chunks, no end": head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(body), body),
	} {
		slow[name] = g.dial()
		_, _ = io.WriteString(slow[name], sent)
	}
	for name, conn := range slow {
		got, err := io.ReadAll(conn) // until the server closes: the clock of this test
		if err != nil || bytes.Contains(got, []byte(" 200 ")) {
			t.Errorf("%s: %v, got %s", name, err, got)
		}
	}
	g.pending(rec.ID)
	later := g.ask("s", text("port"))
	if got := l.checked(api.RequestEvent); got["id"] != later.ID {
		t.Errorf("heard %v", got)
	}
	g.stop()
	for ev, ok := l.next(); ok; ev, ok = l.next() {
		if ev.name != api.ChangeEvent { // the asker that leaves
			t.Errorf("heard %v after the end", ev)
		}
	}
}

// A client that disconnects while it waits, and a server that ends, are no failures: nothing is
// logged for the user, and a program that waits reads why.
func TestWaitBrokenOff(t *testing.T) {
	t.Parallel()
	var log waittest.Buffer
	g := start(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	events := g.listen()
	body := func(id string) string { return `{"questions":[` + encode(t, text(id)) + `]}` }
	ctx, disconnect := context.WithCancel(t.Context())
	left := make(chan error, 1)
	waits := g.request(http.MethodPost, "/api/questions?wait=600", body("now")).WithContext(ctx)
	go func() {
		_, err := g.try(waits)
		left <- err
	}()
	id := events.checked(api.RequestEvent)["id"].(string)
	if !g.record(id).Attended {
		t.Error("not attended while its asker waits")
	}
	disconnect()
	if <-left == nil || !waittest.Until(patient, func() bool { return !g.record(id).Attended }) {
		t.Fatal("the asker has not left")
	}
	stays := g.later(http.MethodPost, "/api/questions?wait=600", body("then"))
	events.checked(api.RequestEvent)
	g.stop()
	if got := <-stays; got.status != http.StatusServiceUnavailable || got.code() != api.Unreachable {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if log.String() != "" {
		t.Errorf("logged %s", log.String())
	}
}

// An answer counts whose user closes the page while it is being stored, for duplicates too.
func TestPageClosedWhileItSends(t *testing.T) {
	t.Parallel()
	g, v := visited(t)
	first, second := g.ask("1", single("db")), g.ask("2", single("db"))
	r := v.byCookie(v.form("/answer", confirmed(first.ID, "q0", "0", "also", second.ID)))
	ctx, leave := context.WithCancel(t.Context())
	g.store.Before(func(ctx context.Context, c desktest.Call) error {
		if c == (desktest.Call{Method: "Get", ID: first.ID}) {
			leave()
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond): // the server has noticed it by then
			}
		}
		return nil
	})
	_, err := g.client.Do(r.WithContext(ctx))
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, rec := range []desk.Record{first, second} {
		if !waittest.Until(patient, func() bool {
			now, err := g.desk.Get(t.Context(), rec.ID)
			return err == nil && now.State == desk.Answered
		}) {
			t.Errorf("%s waits for an answer that was given", rec.ID)
		}
	}
}
