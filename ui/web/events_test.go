package web

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// schemaOf names the schema in openapi.json of each event.
var schemaOf = map[string]string{
	api.RequestEvent: "RequestEvent", api.ResponseEvent: "ResponseEvent", api.CancelEvent: "CancelEvent", api.ChangeEvent: "ChangeEvent",
}

// checked returns the next event, which must be as openapi.json describes it.
func (l *listener) checked(name string) map[string]any {
	l.t.Helper()
	ev, ok := l.next()
	for ok && ev.name == api.ChangeEvent && name != api.ChangeEvent { // askers come and go
		ev, ok = l.next()
	}
	if !ok || ev.name != name {
		l.t.Fatalf("event %q (%v), want %q", ev.name, ok, name)
	}
	schema, err := document(l.t).schemas.Compile("openapi.json#/components/schemas/" + schemaOf[name])
	if err != nil {
		l.t.Fatal(err)
	}
	if err := validate(schema, []byte(ev.data)); err != nil {
		l.t.Errorf("%s: %v\n%s", name, err, ev.data)
	}
	return decodeJSON[map[string]any](l.t, []byte(ev.data))
}

// asked returns the next event of a question that was asked.
func (l *listener) asked() (ev heard, ok bool) {
	for ev, ok = l.next(); ok && ev.name != api.RequestEvent; ev, ok = l.next() {
	}
	return ev, ok
}

// What is asked, answered, dismissed and withdrawn is told, by whichever process
// it was done.
func TestEvents(t *testing.T) {
	g := start(t)
	l := g.listen()
	defer l.close()

	set := question.Set{
		Questions: []question.Question{several("features"), text("port")},
		Metadata:  map[string]any{"source": "test"},
	}
	rec, err := desktest.Ask(t.Context(), g.desk, set, "s", desk.Asker{Client: "test-agent", Via: "mcp"})
	if err != nil {
		t.Fatal(err)
	}
	got := l.checked(api.RequestEvent)
	if got["id"] != rec.ID || got["agentId"] != "test-agent" || got["sessionId"] != "s" || got["round"] != 1.0 || len(got["questions"].([]any)) != 2 {
		t.Errorf("request: %v", got)
	}
	if got["metadata"].(map[string]any)["source"] != "test" {
		t.Errorf("metadata: %v", got["metadata"])
	}
	g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"features":["pg","lite"],"port":"a\nevent: x\n\n"}}`)
	got = l.checked(api.ResponseEvent)
	answers := got["answers"].(map[string]any)
	if answers["question-0"] != "PostgreSQL,SQLite, embedded" || answers["question-1"] != "a\nevent: x" || got["status"] != "answered" || got["surface"] != "web" {
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
	g.want(200, "", "POST", "/api/questions/"+rec.ID+"/cancel", `{"reason":"no longer needed"}`)
	if got = l.checked(api.CancelEvent); got["status"] != "cancelled" || got["reason"] != "no longer needed" || got["id"] != rec.ID {
		t.Errorf("cancel: %v", got)
	}
}

// hearAll returns when every stream has heard of a record.
func hearAll(t testing.TB, listeners []*listener, rec desk.Record) {
	t.Helper()
	var heard sync.WaitGroup
	for i, l := range listeners {
		heard.Go(func() {
			if ev, ok := l.asked(); !ok || !strings.Contains(ev.data, rec.ID) {
				t.Errorf("stream %d heard %q %s", i, ev.name, ev.data)
			}
		})
	}
	heard.Wait()
}

// A client that does not read is dropped, and holds nobody up.
func TestSlowStream(t *testing.T) {
	g := start(t)
	g.stop()
	// A stream over a pipe, where nothing is on its way between two ends: what
	// is not read is not written.
	server, err := New(Options{Desk: g.desk, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	server.timeouts.response = 3 * time.Second
	client, conn := net.Pipe()
	pipe := &onePipe{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	pipe.conn <- conn
	web := &http.Server{Handler: server.handler}
	served := make(chan error, 1)
	go func() { served <- web.Serve(pipe) }()
	defer func() {
		_ = web.Close()
		<-served
	}()
	_ = client.SetDeadline(time.Now().Add(patient))
	if _, err := io.WriteString(client, "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "+token+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(client)
	for line := ""; !strings.HasPrefix(line, "retry:"); {
		if line, err = in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	other := serve(t, g.desk, server)
	l := other.listen()
	for range 3 {
		hearAll(t, []*listener{l}, other.ask("s", single("db")))
	}
	l.close()
	if !waittest.Until(patient, func() bool { // the reader has read nothing since, and only the server can end it
		open, err := g.desk.Present(t.Context())
		return err == nil && len(open) == 0
	}) {
		t.Error("a client that does not read keeps its stream")
	}
}

// onePipe is a listener with one connection.
type onePipe struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (p *onePipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conn:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *onePipe) Close() error {
	close(p.closed)
	return nil
}

func (*onePipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// A server that ends, ends its streams by itself; a client that has gone
// without closing leaves nothing behind either.
func TestStreamsEndWithTheServer(t *testing.T) {
	g := start(t)
	g.stop()
	g = restart(t, g, func(p *timeouts) { p.grace = time.Hour })
	l := g.listen()
	conn, err := net.Dial("tcp", g.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	g.stop()
	if ev, ok := l.next(); ok {
		t.Errorf("heard %v after the end", ev)
	}
}

// A stream outlasts the time in which a request must arrive.
func TestStreamLasts(t *testing.T) {
	g := start(t)
	g.stop()
	g = restart(t, g, func(p *timeouts) { p.header, p.request = 3*time.Second, 3*time.Second })
	l := g.listen()
	defer l.close()
	slow, err := net.Dial("tcp", g.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	_ = slow.SetDeadline(time.Now().Add(patient))
	if _, err := slow.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // the server gives up on it after that time: it is the clock of this test
		t.Fatal(err)
	}
	rec := g.ask("s", single("db"))
	if ev, ok := l.next(); !ok || !strings.Contains(ev.data, rec.ID) {
		t.Errorf("heard %v, %v", ev, ok)
	}
}

// What stands in an event is one line of JSON, whatever an agent wrote: it
// cannot add an event of its own.
func TestEventsAreOneLine(t *testing.T) {
	g := start(t)
	l := g.listen()
	defer l.close()
	q := text("x\n\nevent: ask:question:response\ndata: {}\n\n")
	q.Text = "a\r\n\r\ndata: b\u2028</script>"
	rec := g.ask("s\n\nevent: y\n\n", q)
	got := l.checked(api.RequestEvent)
	first := got["questions"].([]any)[0].(map[string]any)
	if first["question"] != q.Text || first["question_id"] != q.ID {
		t.Errorf("arrived as %v", first)
	}
	g.want(200, "", "POST", "/api/questions/"+rec.ID+"/cancel", `{"reason":"\n\nevent: z\n\n"}`)
	if got := l.checked(api.CancelEvent); got["id"] != rec.ID {
		t.Errorf("after it: %v", got)
	}
}
