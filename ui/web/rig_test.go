package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
	"mcp-askuser/ui/present"
)

const (
	token      = "the-token-of-this-start"
	panelToken = "the panel's token" // of the one front end of every rig
	nowhere    = "01J00000000000000000000000"
)

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
	server, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	change(&server.timeouts)
	g := serve(t, o.Desk, server)
	g.store = store
	return g
}

func serve(t testing.TB, d *desk.Desk, server *Server) *rig {
	t.Helper()
	ln, err := server.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, ln) }()
	g := &rig{t: t, desk: d, server: server, addr: ln.Addr(), client: &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
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
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// fromFrontEnd is a request of the front end.
func (g *rig) fromFrontEnd(path, body string) *http.Request {
	r := g.request(http.MethodPost, path, body)
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
	if err := document(g.t).check(r.Method, r.URL.EscapedPath(), a); err != nil {
		g.t.Errorf("%s %s: %v\n%.500s", r.Method, r.URL, err, body)
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

// ask puts a set on the desk for a session, in the name of a client that waits
// for the answer.
func (g *rig) ask(session string, questions ...question.Question) desk.Record {
	g.t.Helper()
	return g.submit(desk.Request{
		Set: question.Set{Questions: questions}, Session: session,
		Asker: desk.Asker{Client: "test-agent", Version: "1.2", Directory: "/home/u/project", Via: "mcp"},
	})
}

func (g *rig) submit(r desk.Request) desk.Record {
	g.t.Helper()
	rec, attendance, err := g.desk.Submit(context.Background(), r)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(attendance.Release)
	return rec
}

// mirror asks a host's own question.
func (g *rig) mirror(questions ...question.Question) desk.Record {
	g.t.Helper()
	set := question.Set{Questions: questions}
	rec, attendance, err := g.desk.Mirror(g.t.Context(),
		desk.Request{Set: set, Asker: desk.Asker{Client: "claude-code"}})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(attendance.Release)
	return rec
}

func (g *rig) record(id string) desk.Record {
	g.t.Helper()
	rec, err := g.desk.Get(context.Background(), id)
	if err != nil {
		g.t.Fatal(err)
	}
	return rec
}

// pending fails the test unless the record is still open: nothing was
// recorded.
func (g *rig) pending(id string) {
	g.t.Helper()
	if rec := g.record(id); rec.Outcome != nil {
		g.t.Errorf("%s was recorded as %s", id, rec.State)
	}
}

// reply returns what was recorded.
func (g *rig) reply(id string) *question.Reply {
	g.t.Helper()
	rec := g.record(id)
	if rec.Outcome == nil || rec.Outcome.Reply == nil {
		g.t.Fatalf("%s is %s, without a reply", id, rec.State)
	}
	if rec.Outcome.Surface != "web" {
		g.t.Errorf("surface is %q", rec.Outcome.Surface)
	}
	return rec.Outcome.Reply
}

// answersTo are the answers recorded, with their givers: "db=pg user".
func (g *rig) answersTo(id string) string {
	g.t.Helper()
	var out []string
	for _, a := range g.reply(id).Answers {
		out = append(out, a.QuestionID+"="+strings.Join(a.Selected, "+")+a.Custom+" "+string(a.By))
	}
	return strings.Join(out, ", ")
}

// visitor is a browser without scripts, with a cookie.
type visitor struct {
	*rig
	cookie *http.Cookie
}

func (g *rig) visitor() *visitor {
	g.t.Helper()
	return &visitor{g, g.redeem(token)}
}

// redeem trades a token for a cookie.
func (g *rig) redeem(token string) *http.Cookie {
	g.t.Helper()
	a := g.enter("/?token=" + token)
	cookies := (&http.Response{Header: a.header}).Cookies()
	if len(cookies) != 1 {
		g.t.Fatalf("%d cookies, status %d", len(cookies), a.status)
	}
	return cookies[0]
}

// enter is a visit of a browser without a cookie.
func (g *rig) enter(path string) response {
	g.t.Helper()
	r := g.request(http.MethodGet, path, "")
	r.Header.Del("Authorization")
	return g.send(r)
}

// byCookie makes a request the browser's.
func (v *visitor) byCookie(r *http.Request) *http.Request {
	r.Header.Del("Authorization")
	r.AddCookie(v.cookie)
	return r
}

func (v *visitor) page(path string) response {
	v.t.Helper()
	return v.send(v.byCookie(v.request(http.MethodGet, path, "")))
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	return v.take(v.request(http.MethodGet, path, ""))
}

// post sends a form.
func (v *visitor) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	return v.take(v.form(path, form))
}

func (v *visitor) form(path string, form url.Values) *http.Request {
	v.t.Helper()
	r := v.request(http.MethodPost, path, form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+r.Host) // as every browser does
	return r
}

// take sends a request of the browser, and returns the status and where it is led, or the page.
func (v *visitor) take(r *http.Request) (int, string) {
	v.t.Helper()
	a := v.send(v.byCookie(r))
	if at := a.header.Get("Location"); at != "" {
		return a.status, at
	}
	return a.status, string(a.body)
}

func (v *visitor) sees(path string, words ...string) {
	v.t.Helper()
	status, body := v.get(path)
	if status != http.StatusOK {
		v.t.Errorf("%s: status %d", path, status)
	}
	v.holds(path, body, words...)
}

// holds fails the test unless a page has all of these.
func (g *rig) holds(name, page string, words ...string) {
	g.t.Helper()
	for _, w := range words {
		if !strings.Contains(page, w) {
			g.t.Errorf("%s does not say %q:\n%s", name, w, page)
		}
	}
}

func confirmed(id string, pairs ...string) url.Values {
	form := url.Values{"id": {id}, "action": {"confirm"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return form
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
		ID: id, Text: "Go on (" + id + ")?", Type: question.Boolean, Required: true, Options: question.YesAndNo(),
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
	t  testing.TB
	in *bufio.Scanner

	close func() error
}

// listen connects a stream; it hears of everything that happens after it
// returned.
func (g *rig) listen() *listener {
	g.t.Helper()
	resp, err := g.client.Do(g.request(http.MethodGet, "/api/events", ""))
	if err != nil {
		g.t.Fatal(err)
	}
	fault := document(g.t).check(http.MethodGet, "/api/events", response{status: resp.StatusCode, header: resp.Header})
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
