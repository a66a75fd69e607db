package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
	"mcp-askuser/ui/present"
)

const token = "the-token-of-this-start"

// patient is how long a wait may take before the test fails: far above what any
// wait needs, so that a busy machine fails no test.
const patient = time.Minute

// rig is a served server over a desk of its own, and a program that has its
// token.
type rig struct {
	t      testing.TB
	desk   *desk.Desk
	server *Server
	addr   net.Addr
	stop   func() // ends the server and waits for it
	client *http.Client
	store  *desktest.Faulty // of a desk that is not the test's own
}

func newStore(t testing.TB) *desktest.Faulty {
	t.Helper()
	checkLeaks(t)
	return &desktest.Faulty{Store: desktest.Store(t, t.TempDir()+"/desk")}
}

func newDesk(t testing.TB) *desk.Desk {
	t.Helper()
	return desk.New(newStore(t), desk.Options{MaxRounds: 10})
}

// start serves until the test ends, and then fails it if a goroutine is left.
func start(t testing.TB, options ...func(*Options)) *rig {
	t.Helper()
	checkLeaks(t)
	store := newStore(t)
	o := Options{Desk: desk.New(store, desk.Options{MaxRounds: 10}), Decode: decode, Token: token, Directory: "/home/u/project", FrontEnd: panel}
	for _, set := range options {
		set(&o)
	}
	if o.Presenter == nil {
		o.Presenter = present.New(present.Options{Desk: o.Desk})
	}
	server, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	g := serve(t, o.Desk, server)
	g.store = store
	return g
}

// panelToken is the token of the one front end of every rig.
const panelToken = "the panel's token"

func panel(token string) (name string, ok bool) { return "panel", token == panelToken }

// fromFrontEnd is a request of the front end.
func (g *rig) fromFrontEnd(path, body string) *http.Request {
	r := g.request(http.MethodPost, path, body)
	r.Header.Set("Authorization", "Bearer "+panelToken)
	return r
}

// sideBySide says that tests run beside each other, so that none can tell whose
// goroutine is left.
var sideBySide bool

// checkLeaks fails a test that leaves a goroutine. It is called before the store opens, which
// is closed before the check. Goroutines must not be listed where tests run beside each other:
// goleak panics on a stack of more than 100 frames, which another test may have.
func checkLeaks(t testing.TB) {
	if sideBySide {
		return
	}
	_, done := checked.LoadOrStore(t.Name(), true)
	if done {
		return
	}
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		checked.Delete(t.Name())
		goleak.VerifyNone(t, before)
	})
}

var checked sync.Map // the names of tests whose goroutines are checked

func serve(t testing.TB, d *desk.Desk, server *Server) *rig {
	t.Helper()
	ln, err := server.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, ln) }()
	g := &rig{
		t: t, desk: d, server: server, addr: ln.Addr(),
		client: &http.Client{
			Transport:     &http.Transport{},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	stopped := false
	g.stop = func() {
		if stopped {
			return
		}
		stopped = true
		g.client.CloseIdleConnections()
		cancel()
		select {
		case err := <-served:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(patient):
			t.Error("the server does not end")
		}
		if server.Presenter != nil {
			server.Presenter.Close(ErrStopped)
		}
	}
	t.Cleanup(g.stop)
	return g
}

// at returns the rig for a subtest.
func (g *rig) at(t *testing.T) *rig {
	sub := *g
	sub.t = t
	return &sub
}

// decode is the questions form alone.
func decode(data []byte) (desk.Request, []string, error) {
	var call struct {
		question.Set
		Timeout float64 `json:"timeout_seconds"`
		Dropped []string
	}
	if err := json.Unmarshal(data, &call); err != nil {
		return desk.Request{}, nil, err
	}
	err := call.Set.Validate(question.DefaultLimits()).Err()
	return desk.Request{Set: call.Set, Timeout: time.Duration(call.Timeout * float64(time.Second))}, call.Dropped, err
}

// response is what arrived.
type response struct {
	status int
	header http.Header
	body   []byte
}

// code is the machine code of an error body.
func (a response) code() string {
	var e struct {
		Error struct{ Code string } `json:"error"`
	}
	_ = json.Unmarshal(a.body, &e)
	return e.Error.Code
}

// request returns a request of the program; change may make it another's.
func (g *rig) request(method, path, body string) *http.Request {
	g.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), patient)
	g.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, "http://"+g.addr.String()+path, in)
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// try sends a request and checks the response against openapi.json.
func (g *rig) try(r *http.Request) (response, error) {
	resp, err := g.client.Do(r)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return response{}, err
	}
	a := response{resp.StatusCode, resp.Header, body}
	if err := document(g.t).check(r.Method, r.URL.EscapedPath(), a); err != nil && a.status != http.StatusRequestHeaderFieldsTooLarge {
		g.t.Errorf("%s %s: %v\n%s", r.Method, r.URL, err, body[:min(len(body), 500)])
	}
	return a, nil
}

func (g *rig) send(r *http.Request) response {
	g.t.Helper()
	a, err := g.try(r)
	if err != nil {
		g.t.Fatal(err)
	}
	return a
}

// later sends a request that may take its time.
func (g *rig) later(method, path, body string) <-chan response {
	g.t.Helper()
	r := g.request(method, path, body)
	out := make(chan response, 1)
	go func() {
		a, err := g.try(r)
		if err != nil {
			g.t.Error(err)
		}
		out <- a
	}()
	return out
}

func (g *rig) do(method, path, body string) response {
	g.t.Helper()
	return g.send(g.request(method, path, body))
}

// want sends a request and checks the status and, of an error, the code.
func (g *rig) want(status int, code, method, path, body string) response {
	g.t.Helper()
	a := g.do(method, path, body)
	if a.status != status || a.code() != code {
		g.t.Errorf("%s %s %s: %d %q, want %d %q\n%s", method, path, body, a.status, a.code(), status, code, a.body[:min(len(a.body), 500)])
	}
	return a
}

// ask puts a set on the desk for a session, in the name of a client that waits
// for the answer.
func (g *rig) ask(session string, questions ...question.Question) desk.Record {
	g.t.Helper()
	rec, err := desktest.Ask(g.t.Context(), g.desk, question.Set{Questions: questions}, session,
		desk.Asker{Client: "test-agent", Version: "1.2", Directory: "/home/u/project", Via: "mcp"})
	if err != nil {
		g.t.Fatal(err)
	}
	attendance, err := g.desk.Attend(g.t.Context(), rec.ID)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(attendance.Release)
	return rec
}

// pending fails the test unless the record is still open: nothing was
// recorded.
func (g *rig) pending(id string) {
	g.t.Helper()
	rec, err := g.desk.Get(context.Background(), id)
	if err != nil {
		g.t.Fatal(err)
	}
	if rec.Outcome != nil {
		g.t.Errorf("%s was recorded as %s", id, rec.State)
	}
}

// reply returns what was recorded.
func (g *rig) reply(id string) *question.Reply {
	g.t.Helper()
	rec, err := g.desk.Get(context.Background(), id)
	if err != nil {
		g.t.Fatal(err)
	}
	if rec.Outcome == nil || rec.Outcome.Reply == nil {
		g.t.Fatalf("%s is %s, without a reply", id, rec.State)
	}
	if rec.Outcome.Surface != "web" {
		g.t.Errorf("surface is %q", rec.Outcome.Surface)
	}
	return rec.Outcome.Reply
}

// browser trades the token for a cookie and returns it.
func (g *rig) browser() *http.Cookie {
	g.t.Helper()
	return g.browserWith(token)
}

func (g *rig) browserWith(token string) *http.Cookie {
	g.t.Helper()
	r := g.request(http.MethodGet, "/?token="+token, "")
	r.Header.Del("Authorization")
	resp, err := g.client.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	if len(resp.Cookies()) != 1 {
		g.t.Fatalf("%d cookies, status %d", len(resp.Cookies()), resp.StatusCode)
	}
	return resp.Cookies()[0]
}

func single(id string) question.Question {
	return question.Question{
		ID: id, Text: "Which database (" + id + ")?", Header: "Database", Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "lite", Label: "SQLite, embedded"}},
	}
}

func several(id string) question.Question {
	q := single(id)
	q.Text, q.Type = "Which features ("+id+")?", question.MultiChoice
	q.Options = append(q.Options, question.Option{ID: "my", Label: "MySQL"})
	return q
}

func text(id string) question.Question {
	return question.Question{ID: id, Text: "Which port (" + id + ")?", Type: question.Text, Required: true}
}

func boolean(id string) question.Question {
	return question.Question{
		ID: id, Text: "Go on (" + id + ")?", Type: question.Boolean, Required: true,
		Options: []question.Option{{ID: question.YesID, Label: "Yes"}, {ID: question.NoID, Label: "No"}},
	}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func decodeJSON[T any](t testing.TB, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// heard is one event of a stream.
type heard struct{ name, data string }

// listener is a client of GET /api/events.
type listener struct {
	t    testing.TB
	body io.ReadCloser
	in   *bufio.Scanner
}

// listen connects a stream; it hears of everything that happens after it
// returned.
func (g *rig) listen() *listener {
	g.t.Helper()
	resp, err := g.client.Do(g.request(http.MethodGet, "/api/events", ""))
	if err != nil {
		g.t.Fatal(err)
	}
	if err := document(g.t).check(http.MethodGet, "/api/events", response{resp.StatusCode, resp.Header, nil}); err != nil || resp.StatusCode != http.StatusOK {
		g.t.Fatalf("events: %s, %v", resp.Status, err)
	}
	l := &listener{g.t, resp.Body, bufio.NewScanner(resp.Body)}
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

func (l *listener) close() { _ = l.body.Close() }

// direct sends an answer to the handler without a connection.
func direct(g *rig, body string) (status int, out []byte) {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/api/task/answer", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	g.server.handler.ServeHTTP(w, r)
	return w.Code, w.Body.Bytes()
}
