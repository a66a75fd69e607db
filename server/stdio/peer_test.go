package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"mcp-askuser/internal/fatal"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

func TestMain(m *testing.M) {
	// Most of what runs side by side waits for its user.
	flag.Parse() // else the command line counts
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// testServer is an MCP server with one tool per handler, named by its key.
func testServer(tools map[string]mcpserver.ToolHandlerFunc) *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("test", "1")
	for name, handler := range tools {
		s.AddTool(mcp.NewTool(name), handler)
	}
	return s
}

// peer is a client that speaks raw lines.
type peer struct {
	t       *testing.T
	in      *io.PipeWriter
	lines   chan string // what the server wrote; closed when Serve has returned
	log     *waittest.Buffer
	result  chan error
	stopped sync.Once
}

// connect serves s to a new peer until the test ends.
func connect(t *testing.T, s *mcpserver.MCPServer, change ...func(*Options)) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, in: inW, lines: make(chan string, 1<<16), log: new(waittest.Buffer), result: make(chan error, 1)}
	var o Options
	o.Log = slog.New(slog.NewTextHandler(p.log, nil))
	for _, c := range change {
		c(&o)
	}
	go func() {
		p.result <- Serve(context.WithoutCancel(t.Context()), s, inR, outW, o)
		_ = outW.Close()
	}()
	go func() {
		defer close(p.lines)
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	t.Cleanup(func() { _, _ = p.hangUp() })
	return p
}

// send writes lines to the server.
func (p *peer) send(lines ...string) {
	p.t.Helper()
	write(p.t, p.in, strings.Join(lines, "\n"))
}

// next is the server's next line. It must be one JSON value.
func (p *peer) next() string {
	p.t.Helper()
	line := waittest.Take(p.t, p.lines)
	if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") {
		p.t.Fatalf("not a line of JSON, or the server has gone: %q", line)
	}
	return strings.TrimSpace(line)
}

// want expects exactly these lines, in this order.
func (p *peer) want(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if got := p.next(); got != line {
			p.t.Fatalf("got  %s\nwant %s", got, line)
		}
	}
}

// hangUp ends the input and returns what Serve returned and the lines that
// nobody had read.
func (p *peer) hangUp() (rest []string, err error) {
	p.t.Helper()
	p.stopped.Do(func() {
		_ = p.in.Close()
		err = waittest.Take(p.t, p.result)
		for line := range p.lines {
			rest = append(rest, strings.TrimSpace(line))
		}
	})
	return rest, err
}

// initialize opens a session of 2025-11-25.
func (p *peer) initialize(capabilities string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"clientInfo":{"name":"peer","version":"1"},"capabilities":`+capabilities+`}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if line := p.next(); !strings.Contains(line, `"protocolVersion":"2025-11-25"`) {
		p.t.Fatalf("initialize: %s", line)
	}
}

func callLine(id, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, tool)
}

func cancelLine(id, reason string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%q}}`, id, reason)
}

func pingLine(id string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id) }
func pong(id string) string     { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id) }
func textResult(id, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, id, text)
}

// echo is a tool that answers at once.
func echo(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText("done"), nil
}

// transportOf is what carries the call of ctx.
func transportOf(ctx context.Context) askuser.Transport {
	return mcpserver.ClientSessionFromContext(ctx).(askuser.Transport)
}

// patient lets handlers end in their own time.
func patient(o *Options) { o.Grace = waittest.Patience }

// waiter is a tool that waits until its context ends or it is released.
type waiter struct {
	started chan struct{}
	causes  chan error
	release chan struct{}
}

func newWaiter(capacity int) *waiter {
	return &waiter{make(chan struct{}, capacity), make(chan error, capacity), make(chan struct{})}
}

// serve serves the tool as wait over these streams.
func (w *waiter) serve(ctx context.Context, in io.Reader, out io.Writer) <-chan error {
	result := make(chan error, 1)
	s := testServer(map[string]mcpserver.ToolHandlerFunc{"wait": w.call})
	go func() { result <- Serve(ctx, s, in, out, Options{}) }()
	return result
}

// write writes lines.
func write(t *testing.T, to io.Writer, lines string) {
	t.Helper()
	_, err := io.WriteString(to, lines+"\n")
	fatal.If(t, err)
}

func (w *waiter) call(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	w.started <- struct{}{}
	select {
	case <-ctx.Done():
		w.causes <- context.Cause(ctx)
		return nil, ctx.Err()
	case <-w.release:
		return mcp.NewToolResultText("released"), nil
	}
}

// stubborn is the tool, but waits for its release alone.
func (w *waiter) stubborn(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	w.started <- struct{}{}
	<-w.release
	return mcp.NewToolResultText("too late"), nil
}
