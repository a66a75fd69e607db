package http

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/server/tokens"
	"mcp-askuser/tools/askuser"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a server that listens, and its tokens.
type rig struct {
	*Server
	t       *testing.T
	url     string
	dir     string // of its tokens
	known   *tokens.Store
	client  *http.Client
	stop    context.CancelFunc
	stopped chan error
}

func serve(t *testing.T, tools map[string]mcpserver.ToolHandlerFunc, change ...func(*Options)) *rig {
	t.Helper()
	s := mcpserver.NewMCPServer("test", "1", mcpserver.WithToolCapabilities(true))
	for name, handler := range tools {
		s.AddTool(mcp.NewTool(name), handler)
	}
	dir := t.TempDir()
	x := &rig{t: t, dir: dir, known: tokens.New(dir), client: &http.Client{Transport: &http.Transport{}}, stopped: make(chan error, 1)}
	o := Options{Tokens: x.known, Host: "127.0.0.1", Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	for _, c := range change {
		c(&o)
	}
	x.Server = New(s, o)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	x.stop = stop
	ln, err := x.Listen(ctx, "0")
	fatal.If(t, err)
	x.url = x.Address(ln.Addr())
	go func() { x.stopped <- x.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-x.stopped; err != nil {
			t.Error(err)
		}
		x.client.CloseIdleConnections()
	})
	return x
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// agent is a client with a token.
type agent struct {
	*rig
	token, session string
	header         http.Header
}

func (x *rig) agent(name string) *agent {
	x.t.Helper()
	token, err := x.known.Add(name, false)
	fatal.If(x.t, err)
	return &agent{rig: x, token: token, header: http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token},
	}}
}

// response is what came back; its messages come as they do.
type response struct {
	*http.Response
	t     *testing.T
	lines *bufio.Scanner
	end   context.CancelFunc
}

// do sends a request; more are headers, in pairs.
func (a *agent) do(method, body string, more ...string) *response {
	a.t.Helper()
	ctx, end := context.WithTimeout(context.WithoutCancel(a.t.Context()), waittest.Patience)
	a.t.Cleanup(end)
	r, err := http.NewRequestWithContext(ctx, method, a.url, strings.NewReader(body))
	fatal.If(a.t, err)
	r.Header = a.header.Clone()
	if a.session != "" {
		r.Header.Set("Mcp-Session-Id", a.session)
	}
	for i := 0; i < len(more); i += 2 {
		if r.Header.Set(more[i], more[i+1]); more[i] == "Host" {
			r.Host = more[i+1]
		}
		if more[i+1] == "" {
			r.Header.Del(more[i])
		}
	}
	resp, err := a.client.Do(r)
	fatal.If(a.t, err)
	a.t.Cleanup(func() { _ = resp.Body.Close() })
	return &response{resp, a.t, bufio.NewScanner(resp.Body), end}
}

func (a *agent) post(body string, more ...string) *response {
	return a.do(http.MethodPost, body, more...)
}

// hello does the handshake.
func (a *agent) hello(capabilities string) *agent {
	a.t.Helper()
	r := a.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"test","version":"1"},"capabilities":` + capabilities + `}}`)
	if a.session = r.Header.Get("Mcp-Session-Id"); r.StatusCode != http.StatusOK || a.session == "" {
		a.t.Fatalf("status %d, session %q: %s", r.StatusCode, a.session, r.rest())
	}
	return a
}

func (a *agent) call(id, tool string) *response {
	a.t.Helper()
	return a.post(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`)
}

// has fails where the response to what has another status.
func (r *response) has(status int, what string) {
	r.t.Helper()
	if r.StatusCode != status {
		r.t.Errorf("%s: status %d, want %d", what, r.StatusCode, status)
	}
}

// rest is all that is left of a response.
func (r *response) rest() string {
	r.t.Helper()
	data, err := io.ReadAll(r.Body)
	fatal.If(r.t, err)
	return string(data)
}

type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// next is the next message of an event stream; false at its end.
func (r *response) next() (m message, ok bool) {
	r.t.Helper()
	for r.lines.Scan() {
		if data, found := strings.CutPrefix(r.lines.Text(), "data: "); found {
			if err := json.Unmarshal([]byte(data), &m); err != nil {
				r.t.Fatalf("%v: %s", err, data)
			}
			return m, true
		}
	}
	return m, false
}

// whole is the one message of a response, which is a stream where the machine is slow.
func (r *response) whole() (m message) {
	r.t.Helper()
	if r.Header.Get("Content-Type") == "text/event-stream" {
		m, _ = r.next()
		return m
	}
	text := r.rest()
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		r.t.Fatalf("status %d, %v: %q", r.StatusCode, err, text)
	}
	return m
}

// code is that of the error of a response.
func (m message) code() int {
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

func callOf(ctx context.Context) askuser.Transport {
	return mcpserver.ClientSessionFromContext(ctx).(askuser.Transport)
}

// ending is a tool that waits for its end, of which it tells.
type ending struct {
	began   chan string // who
	ended   chan error  // the cause
	written chan bool   // the response
}

func newEnding() *ending {
	return &ending{make(chan string, 100), make(chan error, 100), make(chan bool, 100)}
}

func (e *ending) tool(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	callOf(ctx).Delivered(func(written bool) { e.written <- written })
	e.began <- callOf(ctx).Client().Agent
	<-ctx.Done()
	e.ended <- context.Cause(ctx)
	return mcp.NewToolResultText("ended"), nil
}

// host is the server's name, with its port.
func (x *rig) host() string { return strings.TrimSuffix(strings.TrimPrefix(x.url, "http://"), Path) }

// dial opens a connection, which ends with the test.
func (x *rig) dial() net.Conn {
	x.t.Helper()
	conn, err := net.Dial("tcp", x.host())
	fatal.If(x.t, err)
	x.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(waittest.Patience))
	return conn
}
