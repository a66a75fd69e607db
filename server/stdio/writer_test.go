package stdio

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// TestNothingAfterResponse: progress from a tight loop beside the handler
// never follows the response (with mcp-go it did 2405 times of 2500).
func TestNothingAfterResponse(t *testing.T) {
	const calls = 500
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
		for {
			line := p.next()
			if strings.Contains(line, "notifications/progress") {
				before++
				continue
			}
			if line != textResult(strconv.Itoa(i), "done") {
				t.Fatal(line)
			}
			break
		}
		loops.Wait()
		p.send(pingLine(`"p"`)) // flushes what would have followed
		p.want(pong(`"p"`))
	}
	if before < 6*calls {
		t.Errorf("%d notifications came before the responses, want at least %d", before, 6*calls)
	}
}

// TestNothingAfterCancel: nor does it follow a cancel.
func TestNothingAfterCancel(t *testing.T) {
	started, notified := make(chan struct{}), make(chan error, 1)
	tool := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		notified <- transportOf(ctx).Notify("notifications/progress", nil)
		return mcp.NewToolResultText("late"), nil
	}
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"tool": tool}))
	p.send(callLine("1", "tool"))
	<-started
	p.send(cancelLine("1", ""))
	if err := waittest.Take(t, notified); err != nil {
		t.Errorf("notify: %v, want silence", err)
	}
	if rest, err := p.hangUp(); len(rest) > 0 || err != nil {
		t.Errorf("Serve returned %v; after the cancel came %q", err, rest)
	}
}

// TestWholeLines: nothing tears a message, whoever sends it; what ends a request
// is one Write, and only what comes before may share one.
func TestWholeLines(t *testing.T) {
	var out writes
	s := testServer(map[string]mcpserver.ToolHandlerFunc{"tool": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("two\nlines"), transportOf(ctx).Notify("notifications/progress", map[string]string{"message": "a\nb"})
	}})
	var in strings.Builder
	for i := range 100 {
		in.WriteString(callLine(strconv.Itoa(i), "tool") + "\n{}\n")
	}
	fatal.If(t, Serve(t.Context(), s, strings.NewReader(in.String()), &out, Options{Grace: waittest.Patience}))
	lines := 0
	for _, w := range out {
		n := strings.Count(w, "\n")
		lines += n
		if !strings.HasSuffix(w, "\n") || n > 1 && strings.Contains(w, `"id"`) {
			t.Fatalf("neither one message nor notifications alone: %q", w)
		}
	}
	if lines != 300 {
		t.Errorf("%d messages, want 300", lines)
	}
}

type writes []string

func (w *writes) Write(p []byte) (int, error) { *w = append(*w, string(p)); return len(p), nil }
