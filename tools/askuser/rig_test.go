package askuser

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// link is a transport in memory.
type link struct {
	mcpserver.ClientSession // nil

	agent   string
	client  Client
	session string // the connection's; empty: one that all share
	elicit  func(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error)
	turn    func(ctx context.Context) (placed func(), err error) // nil: at once
	placed  <-chan struct{}                                      // closed when turn's placed was called

	noted     chan string // notifications, as many as fit; may be nil
	delivered func(written bool)
}

// client is a client of this name, with forms of its own or without.
func client(name string, forms bool) Client {
	c := Client{Implementation: mcp.Implementation{Name: name}}
	if forms {
		c.Capabilities.Elicitation = &mcp.ElicitationCapability{}
	}
	return c
}

func (l *link) Client() Client {
	c := l.client
	c.Agent, c.Session = l.agent, cmp.Or(l.session, "connection")
	return c
}

func (l *link) Directory(context.Context) string { return "/src/shop" }

func (l *link) Turn(ctx context.Context) (func(), error) {
	if l.turn == nil {
		return func() {}, nil
	}
	return l.turn(ctx)
}

func (l *link) Notify(_ string, params any) error {
	data, err := json.Marshal(params)
	select {
	case l.noted <- string(data):
	default:
	}
	return err
}

func (l *link) Delivered(f func(bool)) { l.delivered = f }

func (l *link) Elicit(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	sent := time.Now()
	result, err := l.elicit(ctx, form)
	return result, time.Since(sent), err
}

// told writes the response of a call, or fails to.
func (l *link) told(written bool) {
	if l.delivered != nil {
		l.delivered(written)
	}
}

// rig is the tools over a desk of their own.
type rig struct {
	*Tools
	t     *testing.T
	desk  *desk.Desk
	calls sync.WaitGroup
}

func newRig(t *testing.T, surfaces ...ui.Surface) *rig {
	t.Helper()
	return openDesk(t, desk.Options{}, surfaces...)
}

func openDesk(t *testing.T, o desk.Options, surfaces ...ui.Surface) *rig {
	t.Helper()
	o.Copies = t.TempDir()
	return openStore(t, desktest.Store(t, t.TempDir()), o, surfaces...)
}

func openStore(t *testing.T, s store.Store, o desk.Options, surfaces ...ui.Surface) *rig {
	t.Helper()
	d := desk.New(s, o)
	p := present.New(present.Options{Desk: d})
	r := &rig{Tools: New(Config{
		Desk: d, Presenter: p, Log: slog.New(slog.DiscardHandler), Limits: question.DefaultLimits(), Surfaces: surfaces,
		Hold: time.Hour, Tick: time.Hour, Command: "mcp-askuser inbox",
	}), t: t, desk: d}
	t.Cleanup(func() {
		p.Close(ErrDisconnected)
		r.calls.Wait()
	})
	return r
}

const which = `{"questions":[{"question":"Which?","options":["A","B"]}]}`

func request(args string) mcp.CallToolRequest {
	var req mcp.CallToolRequest
	req.Params.RawArguments = json.RawMessage(args)
	return req
}

// result is what a call has returned.
type result struct {
	*mcp.CallToolResult
	err error
}

// status is how the question ended, with the answer to the only one; of a refused call it is the text.
func (r result) status(t *testing.T) string {
	t.Helper()
	if r.err != nil {
		return r.err.Error()
	}
	x, ok := r.StructuredContent.(*wire.Result)
	switch {
	case !ok || x.Code != "":
		return r.text(t)
	case x.Response == nil:
		return string(x.Status)
	}
	return fmt.Sprintf("%s %v", x.Status, x.Response)
}

func (r result) text(t *testing.T) string {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.Content[0].(mcp.TextContent).Text
}

// begin begins a call of a tool.
func (r *rig) begin(
	ctx context.Context, l *link, tool mcpserver.ToolHandlerFunc, req mcp.CallToolRequest,
) <-chan result {
	out := make(chan result, 1)
	r.calls.Go(func() {
		got, err := tool(new(mcpserver.MCPServer).WithContext(ctx, l), req)
		out <- result{got, err}
	})
	return out
}

// start begins a call of ask_user_question.
func (r *rig) start(ctx context.Context, l *link, req mcp.CallToolRequest) <-chan result {
	return r.begin(ctx, l, r.ask, req)
}

// startAwait begins a call of await_answer.
func (r *rig) startAwait(ctx context.Context, l *link, ids []string, more string) <-chan result {
	return r.begin(ctx, l, r.await, request(fmt.Sprintf(`{"ids":["%s"]%s}`, strings.Join(ids, `","`), more)))
}

// pending waits until n questions are open.
func (r *rig) pending(n int) (records []desk.Record) {
	r.t.Helper()
	if !waittest.Until(waittest.Patience, func() bool {
		all, err := r.desk.Pending(r.t.Context())
		fatal.If(r.t, err)
		records = all
		return len(records) == n
	}) {
		r.t.Fatalf("%d questions are open, want %d", len(records), n)
	}
	return records
}

// open waits for the one question that is open.
func (r *rig) open() desk.Record {
	r.t.Helper()
	return r.pending(1)[0]
}

func (r *rig) reply(id, option string) {
	r.t.Helper()
	reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
	if _, err := r.desk.Reply(r.t.Context(), id, reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
		r.t.Fatal(err)
	}
}

// surfaceFunc is a surface that does as a test says.
type surfaceFunc struct {
	name string
	show func(ctx context.Context) error
}

func (s surfaceFunc) Name() string { return s.name }

func (s surfaceFunc) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error { return s.show(ctx) }

// stays is a surface that shows a question until its end.
func stays(name string) surfaceFunc {
	return surfaceFunc{name, func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}}
}
