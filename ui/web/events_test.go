package web

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// schemaOf names the schema in openapi.json of each event.
var schemaOf = map[string]string{
	eventRequest: "RequestEvent", eventResponse: "ResponseEvent", eventCancel: "CancelEvent", eventChange: "ChangeEvent",
}

// checked returns the next event, which must be as openapi.json describes it.
func (l *listener) checked(name string) map[string]any {
	l.t.Helper()
	ev, ok := l.next()
	for ok && ev.name == eventChange && name != eventChange { // askers come and go
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
	for ev, ok = l.next(); ok && ev.name != eventRequest; ev, ok = l.next() {
	}
	return ev, ok
}

// B3 and B4: what is asked, answered, dismissed and withdrawn is told, by
// whichever process it was done.
func TestEvents(t *testing.T) {
	g := start(t)
	l := g.listen()
	defer l.close()

	set := question.Set{
		Questions: []question.Question{several("features"), text("port")},
		Metadata:  map[string]any{"source": "test"},
	}
	rec, err := g.desk.Ask(t.Context(), set, "s", desk.Asker{Client: "test-agent", Via: "mcp"})
	if err != nil {
		t.Fatal(err)
	}
	got := l.checked(eventRequest)
	if got["id"] != rec.ID || got["agentId"] != "test-agent" || got["sessionId"] != "s" || got["round"] != 1.0 || len(got["questions"].([]any)) != 2 {
		t.Errorf("request: %v", got)
	}
	if got["metadata"].(map[string]any)["source"] != "test" {
		t.Errorf("metadata: %v", got["metadata"])
	}
	g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"features":["pg","lite"],"port":"a\nevent: x\n\n"}}`)
	got = l.checked(eventResponse)
	answers := got["answers"].(map[string]any)
	if answers["question-0"] != "PostgreSQL,SQLite, embedded" || answers["question-1"] != "a\nevent: x" || got["status"] != "answered" || got["surface"] != "web" {
		t.Errorf("response: %v", got)
	}

	rec = g.ask("s", single("db"))
	l.checked(eventRequest)
	g.want(200, "", "POST", "/api/questions/"+rec.ID+"/dismiss", "")
	if got = l.checked(eventResponse); got["status"] != "dismissed" || len(got["answers"].(map[string]any)) != 0 {
		t.Errorf("dismissed: %v", got)
	}

	rec = g.ask("s", single("db"))
	l.checked(eventRequest)
	g.want(200, "", "POST", "/api/questions/"+rec.ID+"/cancel", `{"reason":"no longer needed"}`)
	if got = l.checked(eventCancel); got["status"] != "cancelled" || got["reason"] != "no longer needed" || got["id"] != rec.ID {
		t.Errorf("cancel: %v", got)
	}
}

// 200 streams each see an event within 50 ms; nothing is left when they close
// (see start).
func TestManyStreams(t *testing.T) {
	const streams, limit = 200, 50 * time.Millisecond
	g := start(t)
	listeners := make([]*listener, streams)
	for i := range listeners {
		listeners[i] = g.listen()
	}
	for round := range 3 {
		at := make([]time.Time, streams)
		var heard sync.WaitGroup
		for i, l := range listeners {
			heard.Go(func() {
				if ev, ok := l.asked(); !ok {
					t.Errorf("stream %d heard %q", i, ev.name)
				}
				at[i] = time.Now()
			})
		}
		rec := g.ask("s", single("db"))
		asked := rec.CreatedAt
		heard.Wait()
		worst := time.Duration(0)
		for _, x := range at {
			worst = max(worst, x.Sub(asked))
		}
		t.Logf("round %d: the last of %d streams heard after %v", round, streams, worst)
		if worst > limit*raceFactor {
			t.Errorf("the last of %d streams heard after %v, limit %v", streams, worst, limit)
		}
	}
	for _, l := range listeners {
		l.close()
	}
	g.server.stream.wait() // the watch ends with the last stream
}

// A client that does not read is let go, and holds nobody up.
func TestSlowStream(t *testing.T) {
	g := start(t)
	slow, err := g.server.stream.join()
	if err != nil {
		t.Fatal(err)
	}
	l := g.listen()
	defer l.close()
	for range maxBehind + 1 {
		g.server.stream.send([]byte("event: x\ndata: {}\n\n"))
		if _, ok := l.next(); !ok {
			t.Fatal("a stream that reads was ended")
		}
	}
	n := 0
	for range slow.frames {
		n++
	}
	if n != maxBehind {
		t.Errorf("%d events before the end", n)
	}
	g.server.stream.leave(slow)
}

// A server that ends, ends its streams; a client that has gone without closing
// leaves nothing behind either.
func TestStreamsEndWithTheServer(t *testing.T) {
	g := start(t)
	l := g.listen()
	conn, err := net.Dial("tcp", g.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	g.stop()
	if took := time.Since(began); took > time.Second {
		t.Errorf("the server took %v to end", took)
	}
	if ev, ok := l.next(); ok {
		t.Errorf("heard %v after the end", ev)
	}
}

// A stream outlasts the time in which a request must arrive.
func TestStreamLasts(t *testing.T) {
	g := start(t, func(o *Options) {})
	g.stop()
	g = restart(t, g, patience{header: 50 * time.Millisecond, request: 50 * time.Millisecond, response: 50 * time.Millisecond})
	l := g.listen()
	defer l.close()
	slow, err := net.Dial("tcp", g.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	_, _ = slow.Read(make([]byte, 1)) // the server gives up on it after header: that is the clock of this test
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
	got := l.checked(eventRequest)
	first := got["questions"].([]any)[0].(map[string]any)
	if first["question"] != q.Text || first["question_id"] != q.ID {
		t.Errorf("arrived as %v", first)
	}
	g.want(200, "", "POST", "/api/questions/"+rec.ID+"/cancel", `{"reason":"\n\nevent: z\n\n"}`)
	if got := l.checked(eventCancel); got["id"] != rec.ID {
		t.Errorf("after it: %v", got)
	}
}
