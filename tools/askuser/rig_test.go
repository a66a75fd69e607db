package askuser

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
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

	noted     chan string  // progress messages; may be nil
	sent      atomic.Int64 // how many
	over      atomic.Bool  // its last call has returned
	late      atomic.Bool  // a message was sent after that
	delivered func(written bool)
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
	l.sent.Add(1)
	if l.over.Load() {
		l.late.Store(true)
	}
	if l.noted != nil {
		l.noted <- string(data)
	}
	return err
}

func (l *link) Delivered(f func(bool)) { l.delivered = f }

// call is a call of a tool, to its end.
func (l *link) call(ctx context.Context, tool mcpserver.ToolHandlerFunc, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	l.over.Store(false)
	defer l.over.Store(true)
	return tool(new(mcpserver.MCPServer).WithContext(ctx, l), req)
}

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
	t    *testing.T
	dir  string
	desk *desk.Desk
}

func newRig(t *testing.T, surfaces ...ui.Surface) *rig { return openRig(t, t.TempDir(), surfaces...) }

// openRig is newRig on a desk that others may have used.
func openRig(t *testing.T, dir string, surfaces ...ui.Surface) *rig {
	t.Helper()
	return openDesk(t, dir, desk.Options{}, surfaces...)
}

func openDesk(t *testing.T, dir string, o desk.Options, surfaces ...ui.Surface) *rig {
	t.Helper()
	o.Copies = filepath.Join(dir, "files")
	r := openStore(t, desktest.Store(t, dir), o, surfaces...)
	r.dir = dir
	return r
}

func openStore(t *testing.T, s store.Store, o desk.Options, surfaces ...ui.Surface) *rig {
	t.Helper()
	d := desk.New(s, o)
	p := present.New(present.Options{Desk: d})
	t.Cleanup(func() { p.Close(ErrDisconnected) })
	r := &rig{New(Config{Desk: d, Presenter: p, Log: slog.New(slog.DiscardHandler), Limits: question.DefaultLimits(), Surfaces: surfaces, Hold: time.Hour, Tick: time.Hour}), t, "", d}
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

func (r result) status(t *testing.T) string {
	t.Helper()
	if r.err != nil {
		return r.err.Error()
	}
	data, err := json.Marshal(r.StructuredContent)
	fatal.If(t, err)
	var x struct {
		Status  string         `json:"status"`
		ID      string         `json:"id"`
		Answers map[string]any `json:"answers"`
		Message string         `json:"message"`
		Code    string         `json:"code"`
	}
	if err := json.Unmarshal(data, &x); err != nil || x.Status == "" || x.Code != "" {
		return r.Content[0].(mcp.TextContent).Text
	}
	answer, _ := x.Answers["Which?"].(string)
	return strings.TrimSpace(x.Status + " " + answer)
}

func (r result) text(t *testing.T) string {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.Content[0].(mcp.TextContent).Text
}

// start begins a call of ask_user_question.
func (r *rig) start(ctx context.Context, l *link, req mcp.CallToolRequest) <-chan result {
	out := make(chan result, 1)
	go func() {
		got, err := l.call(ctx, r.ask, req)
		out <- result{got, err}
	}()
	return out
}

// watch watches the desk until stop, after which no watch goes on: one that does
// would make the store anew when it is removed.
func (r *rig) watch() (events <-chan desk.Event, stop func()) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	events, err := r.desk.Watch(ctx)
	fatal.If(r.t, err)
	return events, func() {
		cancel()
		for range events {
		}
	}
}

// await waits for an event of this type.
func await(t *testing.T, events <-chan desk.Event, kind desk.EventType) {
	t.Helper()
	for {
		got := waittest.Take(t, events).Type
		if got == kind {
			return
		}
		if got == "" {
			t.Fatal("the watch ended")
		}
	}
}

// open waits for the one question that is open.
func (r *rig) open() desk.Record {
	r.t.Helper()
	events, stop := r.watch()
	defer stop()
	records, err := r.desk.Pending(r.t.Context())
	fatal.If(r.t, err)
	if len(records) > 0 {
		return records[0]
	}
	return waittest.Take(r.t, events).Record
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

// page is a surface that needs somebody to be told its address.
type page struct{ told chan string }

func (page) Name() string { return "web" }

func (page) Show(context.Context, desk.Record, ui.Commit) error {
	return ui.Unavailablef("this is no desktop session")
}

func (p page) Telling(tell func(string)) ui.Surface { return telling{p, tell} }

type telling struct {
	page
	tell func(string)
}

func (t telling) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error {
	t.tell("http://127.0.0.1:4000/")
	close(t.told)
	<-ctx.Done()
	return context.Cause(ctx)
}

// terminal is a surface that shows one question at a time.
type terminal chan struct{}

func (terminal) Name() string { return "tty" }

func (s terminal) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error {
	select {
	case s <- struct{}{}:
		defer func() { <-s }()
		<-ctx.Done()
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// startAwait begins a call of await_answer.
func (r *rig) startAwait(ctx context.Context, l *link, ids []string, more string) <-chan result {
	out := make(chan result, 1)
	go func() {
		x, err := l.call(ctx, r.await, request(fmt.Sprintf(`{"ids":["%s"]%s}`, strings.Join(ids, `","`), more)))
		out <- result{x, err}
	}()
	return out
}

// pending waits until n questions are open.
func (r *rig) pending(n int) []desk.Record {
	r.t.Helper()
	events, stop := r.watch()
	defer stop()
	for {
		records, err := r.desk.Pending(r.t.Context())
		fatal.If(r.t, err)
		if len(records) == n {
			return records
		}
		waittest.Take(r.t, events)
	}
}
