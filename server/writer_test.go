package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/tools/askuser"
)

// TestNothingAfterResponse: progress from a tight loop beside the handler
// never follows the response (FACTS 5.4: 2405 of 2500 with mcp-go).
func TestNothingAfterResponse(t *testing.T) {
	const calls = 500
	var loops sync.WaitGroup
	tool := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		running := make(chan struct{})
		loops.Go(func() {
			for i := range 50 {
				if err := notifierOf(ctx).Notify(ctx, "notifications/progress", map[string]any{"progress": i}); err != nil {
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
		notified <- notifierOf(ctx).Notify(ctx, "notifications/progress", nil)
		return mcp.NewToolResultText("late"), nil
	}
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"tool": tool}))
	p.send(callLine("1", "tool"))
	<-started
	p.send(cancelLine("1", ""))
	if err := receive(t, notified, 1)[0]; err != nil {
		t.Errorf("Notify: %v, want silence", err)
	}
	if rest, err := p.hangUp(); len(rest) > 0 || err != nil {
		t.Errorf("Serve returned %v; after the cancel came %q", err, rest)
	}
}

// TestOwnNotificationsBeforeResponse: what a handler sends through mcp-go goes
// out in order, before its response.
func TestOwnNotificationsBeforeResponse(t *testing.T) {
	const sent = notificationBuffer / 2
	var s *mcpserver.MCPServer
	s = testServer(map[string]mcpserver.ToolHandlerFunc{"tool": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range sent {
			if err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progress": i}); err != nil {
				t.Error(err)
			}
		}
		return mcp.NewToolResultText("done"), nil
	}})
	p := connect(t, s)
	p.initialize(`{}`)
	for i := range 200 {
		p.send(callLine(strconv.Itoa(i), "tool"))
		for j := range sent {
			p.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":` + strconv.Itoa(j) + `}}`)
		}
		p.want(textResult(strconv.Itoa(i), "done"))
	}
}

func TestNotifyErrors(t *testing.T) {
	w := newWriter(&bytes.Buffer{}, newCalls(), slog.New(slog.DiscardHandler))
	s := newSession("s", w, nil)
	inCall := context.WithValue(t.Context(), callKey{}, &call{})
	if err := s.Notify(t.Context(), "x", nil); !errors.Is(err, errNoRequest) {
		t.Errorf("without a request: %v", err)
	}
	if err := s.Notify(inCall, "x", make(chan int)); err == nil {
		t.Error("params that cannot be encoded: no error")
	}
	w.close()
	if err := s.Notify(inCall, "x", nil); !errors.Is(err, askuser.ErrDisconnected) {
		t.Errorf("after the end: %v", err)
	}
}

// TestOneWritePerLine: every message is one Write, whoever sends it.
func TestOneWritePerLine(t *testing.T) {
	var out writes
	s := testServer(map[string]mcpserver.ToolHandlerFunc{"tool": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("two\nlines"), notifierOf(ctx).Notify(ctx, "notifications/progress", map[string]string{"message": "a\nb"})
	}})
	var in strings.Builder
	for i := range 100 {
		in.WriteString(callLine(strconv.Itoa(i), "tool") + "\n{}\n")
	}
	if err := Serve(t.Context(), s, strings.NewReader(in.String()), &out, WithGrace(patience)); err != nil {
		t.Fatal(err)
	}
	if len(out) != 300 {
		t.Errorf("%d writes, want 300", len(out))
	}
	for _, w := range out {
		if strings.Count(w, "\n") != 1 || !strings.HasSuffix(w, "\n") {
			t.Fatalf("not one line: %q", w)
		}
	}
}

type writes []string

func (w *writes) Write(p []byte) (int, error) { *w = append(*w, string(p)); return len(p), nil }

// TestDelivered: a handler learns whether its response was written, and not
// dropped because the client no longer wanted it.
func TestDelivered(t *testing.T) {
	started, told := make(chan struct{}, 2), make(chan bool, 2)
	tool := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session := mcpserver.ClientSessionFromContext(ctx).(*session)
		if err := session.Delivered(ctx, func(written bool) { told <- written }); err != nil {
			t.Error(err)
		}
		started <- struct{}{}
		if req.Params.Name == "waits" {
			<-ctx.Done()
		}
		return mcp.NewToolResultText("done"), nil
	}
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"returns": tool, "waits": tool}))
	p.send(callLine("1", "returns"))
	p.want(textResult("1", "done"))
	if written := receive(t, told, 1)[0]; !written {
		t.Error("a response that was written counts as dropped")
	}
	<-started
	p.send(callLine("2", "waits"))
	<-started
	p.send(cancelLine("2", ""))
	if written := receive(t, told, 1)[0]; written {
		t.Error("a response that was dropped counts as written")
	}
	if err := (&session{}).Delivered(t.Context(), nil); !errors.Is(err, errNoRequest) {
		t.Errorf("without a request: %v", err)
	}
}
