package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/waittest"
)

// account keeps what happened in its order: lines written, and what handlers
// were told of theirs.
type account struct {
	mu     sync.Mutex
	events []string
}

func (a *account) Write(line []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, "written "+idOf(string(line)))
	return len(line), nil
}

func (a *account) told(id string, written bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, fmt.Sprintf("told %s %v", id, written))
}

func (a *account) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.events)
}

// idOf is the id of a response.
func idOf(line string) string {
	_, rest, _ := strings.Cut(line, `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	return id
}

// answers is a tool that waits for the end of its call, returns its answer all the
// same, and tells the account what became of it.
func (a *account) answers(started chan<- struct{}) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		id := strconv.Itoa(req.GetInt("id", -1))
		transportOf(ctx).Delivered(func(written bool) { a.told(id, written) })
		started <- struct{}{}
		<-ctx.Done()
		return mcp.NewToolResultText("the answer"), nil
	}
}

// serve serves calls, which have all started when it returns. Result receives what Serve returns.
func (a *account) serve(t *testing.T, out io.Writer, calls int) (
	in io.Closer, cancel context.CancelCauseFunc, result <-chan error,
) {
	started, returned := make(chan struct{}, calls), make(chan error, 1)
	r, w := io.Pipe()
	ctx, cancel := context.WithCancelCause(t.Context())
	tools := testServer(map[string]mcpserver.ToolHandlerFunc{"answers": a.answers(started)})
	go func() { returned <- Serve(ctx, tools, r, out, Options{Grace: waittest.Patience}) }()
	for i := range calls {
		write(t, w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call",`+
			`"params":{"name":"answers","arguments":{"id":%[1]d}}}`, i))
	}
	waittest.TakeAll(t, started, calls)
	t.Cleanup(func() { _ = w.Close() })
	return w, cancel, returned
}

// TestDeliveredAtTheEnd: the answers that are written while the connection ends,
// for whatever reason, are marked before Serve returns, each right after its
// line.
func TestDeliveredAtTheEnd(t *testing.T) {
	const calls = 200
	for name, end := range map[string]func(io.Closer, context.CancelCauseFunc){
		"end of input": func(in io.Closer, _ context.CancelCauseFunc) { _ = in.Close() },
		"signal":       func(_ io.Closer, cancel context.CancelCauseFunc) { cancel(errors.New("SIGTERM")) },
	} {
		t.Run(name, func(t *testing.T) {
			a := new(account)
			in, cancel, result := a.serve(t, a, calls)
			end(in, cancel)
			waittest.Take(t, result)
			events := a.all()
			if len(events) != 2*calls {
				t.Fatalf("%d events, want %d: %q", len(events), 2*calls, events)
			}
			for i := 0; i < len(events); i += 2 {
				if id := strings.TrimPrefix(events[i], "written "); events[i+1] != "told "+id+" true" {
					t.Fatalf("%q, then %q", events[i], events[i+1])
				}
			}
		})
	}
}

// TestNothingAfterResponse: progress from a tight loop beside the handler
// never follows the response (with mcp-go it did 2405 times of 2500).
func TestNothingAfterResponse(t *testing.T) {
	const calls = 100
	var loops sync.WaitGroup
	tool := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		running := make(chan struct{})
		loops.Go(func() {
			for i := range 50 {
				if err := transportOf(ctx).Notify("notifications/progress", map[string]any{"progress": i}); err != nil {
					t.Error(err)
				}
				if i == 5 {
					close(running)
				}
			}
		})
		<-running
		return mcp.NewToolResultText("done"), nil
	}
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"loop": tool}))
	before := 0
	for i := range calls {
		p.send(callLine(strconv.Itoa(i), "loop"))
		line := p.next()
		for ; strings.Contains(line, "notifications/progress"); line = p.next() {
			before++
		}
		if line != textResult(strconv.Itoa(i), "done") {
			t.Fatal(line)
		}
		loops.Wait()
		p.send(pingLine(`"p"`)) // flushes what would have followed
		p.want(pong(`"p"`))
	}
	if before < 6*calls {
		t.Errorf("%d notifications came before the responses, want at least %d", before, 6*calls)
	}
}
