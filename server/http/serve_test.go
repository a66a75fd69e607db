package http

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/door"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

type toolset = map[string]mcpserver.ToolHandlerFunc

func text(s string) mcpserver.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(s), nil
	}
}

// A session lives from its handshake to its end, for the token that opened it.
func TestSession(t *testing.T) {
	t.Parallel()
	x := serve(t, toolset{"quick": text("done")})
	a, b := x.agent("a").hello(`{}`), x.agent("b")
	a.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`).has(http.StatusAccepted, "a notification")
	r := a.call("1", "quick")
	if m := r.whole(); r.Header.Get("Content-Type") != "application/json" || !strings.Contains(string(m.Result), "done") || string(m.ID) != "1" {
		t.Errorf("got %+v", m)
	}
	b.post(ping).has(http.StatusBadRequest, "without a session")
	b.session = a.session
	b.post(ping).has(http.StatusNotFound, "another's session")
	b.do(http.MethodDelete, "").has(http.StatusNotFound, "another's end of a session")
	a.do(http.MethodDelete, "").has(http.StatusNoContent, "its end")
	a.post(ping).has(http.StatusNotFound, "after its end")
}

// Who may not come in is told so before the body is there, or read.
func TestDoor(t *testing.T) {
	t.Parallel()
	x := serve(t, nil)
	a := x.agent("a")
	host, good := x.host(), "Authorization: Bearer "+a.token
	for _, tc := range []struct {
		name, path string
		headers    []string
		want       int
	}{
		{"no token", Path, []string{"Host: " + host}, 401},
		{"another token", Path, []string{"Host: " + host, good + "x"}, 401},
		{"another name", Path, []string{"Host: evil.example", good}, 403},
		{"a page elsewhere", Path, []string{"Host: " + host, good, "Origin: http://evil.example"}, 403},
		{"another path", "/", []string{"Host: " + host, good}, 404},
		{"OAuth", "/.well-known/oauth-protected-resource", []string{"Host: " + host}, 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			head := "POST " + tc.path + " HTTP/1.1\r\n" + strings.Join(tc.headers, "\r\n") + "\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
			conn := x.dial()
			_, err := io.WriteString(conn, head)
			fatal.If(t, err)
			got, err := io.ReadAll(conn) // to its end: the connection goes
			if err != nil || !strings.HasPrefix(string(got), fmt.Sprintf("HTTP/1.1 %d ", tc.want)) {
				t.Errorf("%v, got %s", err, got)
			}
		})
	}
}

// A message that cannot be served is refused, in words.
func TestRefused(t *testing.T) {
	t.Parallel()
	x := serve(t, nil)
	a := x.agent("a").hello(`{}`)
	for _, tc := range []struct {
		name, method, body string
		headers            []string
		status, code       int
	}{
		{"no JSON", "POST", `{`, nil, 400, mcp.PARSE_ERROR},
		{"a batch", "POST", `[` + ping + `]`, nil, 400, mcp.INVALID_REQUEST},
		{"too large", "POST", strings.Repeat(" ", maxBody) + ping, nil, 413, mcp.INVALID_REQUEST},
		{"another type", "POST", ping, []string{"Content-Type", "text/plain"}, 415, 0},
		{"unknown version", "POST", ping, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, mcp.INVALID_REQUEST},
		{"unknown session", "POST", ping, []string{"Mcp-Session-Id", "x"}, 404, mcp.INVALID_REQUEST},
		{"another method", "PUT", ping, nil, 405, 0},
		{"a stream of its own", "GET", "", nil, 405, 0},
	} {
		r := a.do(tc.method, tc.body, tc.headers...)
		r.has(tc.status, tc.name)
		if tc.code == 0 {
			continue
		}
		if m := r.whole(); m.code() != tc.code || m.Error.Message == "" {
			t.Errorf("%s: got %+v", tc.name, m.Error)
		}
	}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"%s","version":"2"},"io.modelcontextprotocol/clientCapabilities":{}}`

// A request of 2026-07-28 stands for itself, and its headers agree with it.
func TestStateless(t *testing.T) {
	t.Parallel()
	sessions := make(chan string, 10)
	x := serve(t, toolset{"quick": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		sessions <- callOf(ctx).Client().Session + " " + callOf(ctx).Directory(ctx)
		return mcp.NewToolResultText(callOf(ctx).Client().Name), nil
	}})
	a := x.agent("a")
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quick","arguments":{},` + fmt.Sprintf(meta, "new") + `}}`
	headers := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "quick"}
	with := func(more ...string) []string { return append(append([]string{}, headers...), more...) }
	for _, tc := range []struct {
		name         string
		body         string
		headers      []string
		status, code int
	}{
		{"whole", body, headers, 200, 0},
		{"with a session that is none", body, with("Mcp-Session-Id", "x"), 200, 0},
		{"no version in the headers", body, with("Mcp-Protocol-Version", ""), 400, mcp.HEADER_MISMATCH},
		{"an older version in the headers", body, with("Mcp-Protocol-Version", "2025-11-25"), 400, mcp.HEADER_MISMATCH},
		{"another method in the headers", body, with("Mcp-Method", "tools/list"), 400, mcp.HEADER_MISMATCH},
		{"another name in the headers", body, with("Mcp-Name", "slow"), 400, mcp.HEADER_MISMATCH},
		{"no version in the body", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, with("Mcp-Method", "tools/list", "Mcp-Name", ""), 400, mcp.INVALID_PARAMS},
		{"an unknown version", strings.ReplaceAll(body, "2026-07-28", "2099-01-01"), with("Mcp-Protocol-Version", "2099-01-01"), 400, mcp.UNSUPPORTED_PROTOCOL_VERSION},
		{"an unknown method", strings.ReplaceAll(body, "tools/call", "tools/none"), with("Mcp-Method", "tools/none", "Mcp-Name", ""), 404, mcp.METHOD_NOT_FOUND},
		{"discover of a client that is to shake hands", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + fmt.Sprintf(meta, "claude-code") + `}}`, with("Mcp-Method", "server/discover", "Mcp-Name", ""), 404, mcp.METHOD_NOT_FOUND},
		{"discover", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + fmt.Sprintf(meta, "new") + `}}`, with("Mcp-Method", "server/discover", "Mcp-Name", ""), 200, 0},
	} {
		r := a.post(tc.body, tc.headers...)
		session := r.Header.Get("Mcp-Session-Id")
		if m := r.whole(); r.StatusCode != tc.status || m.code() != tc.code || session != "" {
			t.Errorf("%s: status %d, %+v, session %q", tc.name, r.StatusCode, m.Error, session)
		}
	}
	for range 2 {
		if got := waittest.Take(t, sessions); got != " " {
			t.Errorf("the dialogue and directory are %q", got)
		}
	}
	a.post(body, with("Askuser-Session", "mine", "Askuser-Directory", "=?base64?L2jDtm1l?=")...)
	if got := waittest.Take(t, sessions); got != "mine /höme" {
		t.Errorf("the dialogue and directory are %q", got)
	}
	for _, method := range []string{"GET", "DELETE"} {
		a.do(method, "", "Mcp-Protocol-Version", "2026-07-28").has(http.StatusMethodNotAllowed, method)
	}
}

// What belongs to a call comes in its response, in order, and signs of life
// before it and between.
func TestStream(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	x := serve(t, toolset{"slow": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for n := range 3 {
			<-more
			if err := callOf(ctx).Notify("notifications/progress", map[string]any{"progress": n}); err != nil {
				return nil, err
			}
		}
		<-more
		return mcp.NewToolResultText("done"), nil
	}}, func(o *Options) { o.Heartbeat = time.Millisecond })
	a := x.agent("a").hello(`{}`)
	r := a.call("1", "slow") // has headers
	if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" || r.StatusCode != http.StatusOK {
		t.Errorf("%d, %s", r.StatusCode, kind)
	}
	for range 5 {
		if !r.lines.Scan() || r.lines.Text() != ":" {
			t.Fatalf("no sign of life, but %q, %v", r.lines.Text(), r.lines.Err())
		}
		r.lines.Scan() // the empty line behind it
	}
	for n := range 3 {
		more <- struct{}{}
		if m, ok := r.next(); !ok || string(m.Params) != fmt.Sprintf(`{"progress":%d}`, n) {
			t.Errorf("got %s, %v", m.Params, ok)
		}
	}
	more <- struct{}{}
	if m, ok := r.next(); !ok || string(m.ID) != "1" || !strings.Contains(string(m.Result), "done") {
		t.Errorf("got %+v, %v", m, ok)
	}
	if m, ok := r.next(); ok {
		t.Errorf("after the response came %+v", m)
	}
}

// The client's form comes on the stream of its call, and its result with a message of its
// own.
func TestForm(t *testing.T) {
	t.Parallel()
	x := serve(t, toolset{"form": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got, _, err := callOf(ctx).Elicit(ctx, mcp.ElicitationParams{Message: "Who?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(fmt.Sprint(got.Action, got.Content)), nil
	}})
	a := x.agent("a").hello(`{"elicitation":{}}`)
	r := a.call("1", "form")
	m, ok := r.next()
	if !ok || m.Method != "elicitation/create" {
		t.Fatalf("got %+v, %v", m, ok)
	}
	answer := `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"action":"accept","content":{"a":1}}}`
	b := x.agent("b").hello(`{}`)
	b.post(strings.Replace(answer, `"a":1`, `"a":2`, 1)).has(http.StatusAccepted, "an answer")
	a.post(answer).has(http.StatusAccepted, "an answer")
	if m, _ := r.next(); !strings.Contains(string(m.Result), "acceptmap[a:1]") {
		t.Errorf("got %s", m.Result)
	}
}

// The client's roots say where it works. It is asked once, and once more where the call that asked
// was cancelled.
func TestRoots(t *testing.T) {
	t.Parallel()
	x := serve(t, toolset{"where": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("in " + callOf(ctx).Directory(ctx)), nil
	}})
	a := x.agent("a").hello(`{"roots":{}}`)
	asked := func(id string) (r *response, m message) {
		t.Helper()
		r = a.call(id, "where")
		m, ok := r.next()
		if !ok || m.Method != "roots/list" {
			t.Fatalf("got %+v, %v", m, ok)
		}
		return r, m
	}
	r, _ := asked("0")
	a.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
	r.rest()
	r, m := asked("1")
	a.post(`{"jsonrpc":"2.0","id":` + string(m.ID) +
		`,"result":{"roots":[{"uri":"https://x/y"},{"uri":"file:///src/shop%20two"}]}}`)
	if m, _ := r.next(); !strings.Contains(string(m.Result), "in /src/shop two") {
		t.Errorf("got %s", m.Result)
	}
	if m := a.call("2", "where").whole(); !strings.Contains(string(m.Result), "in /src/shop two") {
		t.Errorf("got %s", m.Result)
	}
}

// How a call ends that does not end by itself, whether its response goes out, and that its tool
// hears of that.
func TestEnds(t *testing.T) {
	for _, tc := range []struct {
		name     string
		end      func(*rig, *agent, *response)
		cause    func(error) bool
		response bool
	}{
		{"cancelled", func(_ *rig, a *agent, _ *response) {
			a.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"user-cancel"}}`)
		}, func(err error) bool {
			c, ok := errors.AsType[*askuser.Cancelled](err)
			return ok && c.Reason == "user-cancel"
		}, false},
		{"its client has gone", func(_ *rig, _ *agent, r *response) { r.end() }, is(askuser.ErrDisconnected), false},
		{"its session ends", func(_ *rig, a *agent, _ *response) { a.do(http.MethodDelete, "") }, is(askuser.ErrDisconnected), false},
		{"its token is removed", func(x *rig, _ *agent, _ *response) {
			if err := x.known.Remove("a"); err != nil {
				x.t.Error(err)
			}
		}, is(askuser.ErrDisconnected), false},
		{"the server ends", func(x *rig, _ *agent, _ *response) { x.stop() }, is(askuser.ErrClosing), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := newEnding()
			x := serve(t, toolset{"wait": e.tool}, func(o *Options) { o.Heartbeat = 10 * time.Millisecond })
			a := x.agent("a").hello(`{}`)
			r := a.call("1", "wait")
			waittest.Take(t, e.began)
			tc.end(x, a, r)
			if cause := waittest.Take(t, e.ended); !tc.cause(cause) {
				t.Errorf("the cause is %v", cause)
			}
			text, _ := io.ReadAll(r.Body) // a client that has gone reads no more
			has, written := strings.Contains(string(text), `"jsonrpc"`), waittest.Take(t, e.written)
			if has != tc.response || written != tc.response {
				t.Errorf("a response: %t, %t: %s", has, written, text)
			}
		})
	}
}

// The response to a call that is cancelled before anything of it was sent has nothing.
func TestCancelledAtOnce(t *testing.T) {
	t.Parallel()
	e := newEnding()
	x := serve(t, toolset{"wait": e.tool}, func(o *Options) { o.Heartbeat = time.Hour })
	a := x.agent("a").hello(`{}`)
	got := make(chan *response, 1)
	go func() { got <- a.call("1", "wait") }()
	waittest.Take(t, e.began)
	a.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if r := waittest.Take(t, got); r.StatusCode != http.StatusOK || strings.Contains(r.rest(), "jsonrpc") {
		t.Errorf("status %d", r.StatusCode)
	}
}

// Some clients send a line break after a request: that ends no call that waits.
func TestBytesBehindACall(t *testing.T) {
	t.Parallel()
	more, ended := make(chan struct{}), make(chan error, 1)
	x := serve(t, toolset{"slow": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-more:
		case <-ctx.Done():
		}
		ended <- context.Cause(ctx)
		return mcp.NewToolResultText("done"), nil
	}}, func(o *Options) { o.Heartbeat = time.Millisecond })
	a := x.agent("a").hello(`{}`)
	conn := x.dial()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{}}}`
	_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nMcp-Session-Id: %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		Path, x.host(), a.token, a.session, len(call), call)
	lines := bufio.NewScanner(conn)
	heartbeats := func(n int) {
		for n > 0 && lines.Scan() {
			if lines.Text() == ":" {
				n--
			}
		}
	}
	heartbeats(1) // the headers were sent
	_, _ = io.WriteString(conn, "\r\n")
	heartbeats(20) // the server has read what was sent
	close(more)
	cause := waittest.Take(t, ended)
	if cause != nil {
		t.Errorf("the call has ended: %v", cause)
	}
}

func is(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }

// A token has room for so many sessions; one that is not used makes room for one of the same token,
// and for none of another.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	e := newEnding()
	x := serve(t, toolset{"wait": e.tool}, func(o *Options) { o.Sessions = 2 })
	a := x.agent("a")
	idle := *a
	idle.hello(`{}`)
	busy := []*agent{new(agent), new(agent)}
	for _, b := range busy {
		*b = *a
		b.hello(`{}`)
		b.call("1", "wait")
		waittest.Take(t, e.began)
	}
	idle.post(ping).has(http.StatusNotFound, "the idle session")
	r := a.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"clientInfo":{"name":"x","version":"1"},"capabilities":{}}}`)
	if r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", r.StatusCode)
	}
	b, c := x.agent("b").hello(`{}`), x.agent("c")
	for range 5 {
		c.hello(`{}`)
	}
	c.post(ping).has(http.StatusOK, "the last session of many")
	b.post(ping).has(http.StatusOK, "the idle session of another token")
}

// Beyond this machine there is no plain HTTP.
func TestExposed(t *testing.T) {
	for _, host := range []string{"", "0.0.0.0", "192.0.2.1", "example.org"} {
		_, err := New(nil, Options{Host: host}).Listen(t.Context(), "0")
		if !errors.Is(err, door.ErrExposed) || !strings.Contains(err.Error(), "--tls-cert") {
			t.Errorf("%q: %v", host, err)
		}
	}
}
