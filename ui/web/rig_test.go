package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui/present"
)

const (
	token      = "the-token-of-this-start"
	panelToken = "the panel's token" // of the one front end of every rig
	nowhere    = "01J00000000000000000000000"
)

// patient is how long a wait may take before the test fails.
const patient = waittest.Patience

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
	return &desktest.Faulty{Store: desktest.Store(t, t.TempDir()+"/desk")}
}

func newDesk(t testing.TB) *desk.Desk {
	t.Helper()
	return desk.New(newStore(t), desk.Options{MaxRounds: 10})
}

// start serves until the test ends.
func start(t testing.TB, options ...func(*Options)) *rig {
	t.Helper()
	return startTimed(t, func(*timeouts) {}, options...)
}

// startTimed is start with other time limits.
func startTimed(t testing.TB, change func(*timeouts), options ...func(*Options)) *rig {
	t.Helper()
	store := newStore(t)
	o := Options{
		Desk: desk.New(store, desk.Options{MaxRounds: 10}), Decode: decode, Token: token, Directory: "/home/u/project",
		FrontEnd: func(token string) (name string, ok bool) { return "panel", token == panelToken },
	}
	for _, set := range options {
		set(&o)
	}
	if o.Presenter == nil {
		o.Presenter = present.New(present.Options{Desk: o.Desk})
	}
	server, err := newServer(o)
	fatal.If(t, err)
	change(&server.timeouts)
	fatal.If(t, server.listen(t.Context()))
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx) }()
	g := &rig{t: t, desk: o.Desk, server: server, addr: server.listeners[0].Addr(), store: store, client: &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	g.stop = sync.OnceFunc(func() {
		g.client.CloseIdleConnections()
		cancel()
		err := waittest.Take(t, served)
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
		o.Presenter.Close(ErrStopped)
	})
	t.Cleanup(g.stop)
	return g
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
	closes bool // its connection
}

// code is the machine code of an error body.
func (a response) code() string {
	var e struct {
		Error struct{ Code string } `json:"error"`
	}
	_ = json.Unmarshal(a.body, &e)
	return e.Error.Code
}

// request returns a request of the program; a caller may make it another's.
func (g *rig) request(method, path, body string) *http.Request {
	g.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), patient)
	g.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, "http://"+g.addr.String()+path, in)
	fatal.If(g.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// fromFrontEnd is a request of the front end.
func (g *rig) fromFrontEnd(method, path, body string) *http.Request {
	g.t.Helper()
	r := g.request(method, path, body)
	r.Header.Set("Authorization", "Bearer "+panelToken)
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
	a := response{resp.StatusCode, resp.Header, body, resp.Close}
	if a.status == http.StatusRequestHeaderFieldsTooLarge {
		return a, nil
	}
	if err := document(g.t).check(r, a); err != nil {
		g.t.Errorf("%s %s: %v\n%.500s", r.Method, r.URL, err, body)
	}
	return a, nil
}

func (g *rig) send(r *http.Request) response {
	g.t.Helper()
	a, err := g.try(r)
	fatal.If(g.t, err)
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
		g.t.Errorf("%s %s %.500s: %d %q, want %d %q\n%.500s",
			method, path, body, a.status, a.code(), status, code, a.body)
	}
	return a
}

// task sends an answer, and checks the response to it.
func (g *rig) task(status int, code, body string) response {
	g.t.Helper()
	return g.want(status, code, "POST", "/api/task/answer", body)
}

func encode(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	fatal.If(t, enc.Encode(v))
	return strings.TrimSpace(b.String())
}

func decodeJSON[T any](t testing.TB, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}
