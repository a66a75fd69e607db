package web

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
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
	r := g.request(http.MethodGet, "/api/events", "")
	resp, err := g.client.Do(r)
	fatal.If(g.t, err)
	fault := document(g.t).check(r, response{status: resp.StatusCode, header: resp.Header})
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

// Each question that is asked, answered or withdrawn is an event. An event is one line of JSON: a text
// of an agent cannot add an event of its own.
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
	_, err := g.desk.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "\n\nevent: z\n\n"})
	fatal.If(t, err)
	if got = l.checked(api.CancelEvent); got["status"] != "cancelled" || got["id"] != rec.ID {
		t.Errorf("cancel: %v", got)
	}
}

// reader is a client of a stream. One that is stuck reads nothing: what is written to it fails at the
// deadline.
type reader struct {
	httptest.ResponseRecorder
	stuck bool
	until time.Time // the last deadline of a write
}

func (c *reader) SetReadDeadline(time.Time) error        { return nil }
func (c *reader) SetWriteDeadline(until time.Time) error { c.until = until; return nil }

func (c *reader) Write(p []byte) (int, error) {
	if c.stuck {
		return 0, os.ErrDeadlineExceeded
	}
	return len(p), nil
}

// A client that does not read is dropped after the time for a response, and the page counts as open
// no more. Between two events a stream has no deadline: over HTTP/2, which pages with a certificate
// use, a deadline ends a stream on which nothing is written.
func TestDeadlinesOfStreams(t *testing.T) {
	g := startTimed(t, func(p *timeouts) { p.response = time.Hour })
	client := &reader{stuck: true}
	page := context.WithValue(t.Context(), senderKey{}, sender{browser: true})
	err := g.server.events(client, g.request(http.MethodGet, "/api/events", "").WithContext(page))
	if left := time.Until(client.until); err != nil || left > time.Hour || left < time.Hour-patient {
		t.Errorf("%v, with %v left", err, left)
	}
	if open := must(g.desk.Present(t.Context(), "")); len(open) > 0 {
		t.Errorf("%v are open", open)
	}
	client = &reader{until: time.Now()}
	if !g.server.push(client, http.NewResponseController(client), []byte("retry: 1000\n\n")) || !client.until.IsZero() {
		t.Errorf("the stream ends at %v", client.until)
	}
}

// A page that is open, and a front end, prove that the user sees what is asked. A program that reads
// the events does not: no agent waits for it.
func TestWhoseStreamIsAnOpenPage(t *testing.T) {
	g := start(t)
	browser := g.visitor()
	for name, tt := range map[string]struct {
		request *http.Request
		open    bool
	}{
		"program":   {g.request(http.MethodGet, "/api/events", ""), false},
		"front end": {g.fromFrontEnd(http.MethodGet, "/api/events", ""), true},
		"browser":   {browser.byCookie(g.request(http.MethodGet, "/api/events", "")), true},
	} {
		resp, err := g.client.Do(tt.request)
		fatal.If(t, err)
		open := slices.Contains(must(g.desk.Present(t.Context(), "")), surfaceName)
		if resp.StatusCode != http.StatusOK || open != tt.open {
			t.Errorf("%s: %s, open: %t", name, resp.Status, open)
		}
		_ = resp.Body.Close()
		if !waittest.Until(patient, func() bool { return len(must(g.desk.Present(t.Context(), ""))) == 0 }) {
			t.Fatalf("%s: the stream stays open", name)
		}
	}
}

// A stream tells nothing to a browser whose visit was ended, or to a front end whose token was removed,
// since it began.
func TestRevokedStreams(t *testing.T) {
	key, removed := t.TempDir()+"/page.key", atomic.Bool{}
	g := start(t, func(o *Options) {
		o.KeyFile = key
		o.FrontEnd = func(string) (name string, ok bool) { return "panel", !removed.Load() }
	})
	browser := g.visitor()
	streams := map[string]*http.Response{}
	for name, request := range map[string]*http.Request{
		"browser":   browser.byCookie(g.request(http.MethodGet, "/api/events", "")),
		"front end": g.fromFrontEnd(http.MethodGet, "/api/events", ""),
	} {
		resp, err := g.client.Do(request)
		fatal.If(t, err)
		defer resp.Body.Close()
		streams[name] = resp
	}
	fatal.If(t, Revoke(key))
	removed.Store(true)
	rec := g.ask("s", single("db"))
	_, err := g.desk.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled})
	fatal.If(t, err)
	for name, resp := range streams {
		begun := "retry: 1000\n\n"
		got := make([]byte, len(begun)+1)
		n, _ := io.ReadFull(resp.Body, got) // else until it ends
		if string(got[:n]) != begun {
			t.Errorf("%s: it is told %q", name, got[:n])
		}
	}
}
