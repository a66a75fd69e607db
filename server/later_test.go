package server

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/tools/askuser"
)

type step = func(ctx context.Context) (*mcp.CallToolResult, error)

// later makes a tool of a step, which begins when the handler has returned.
func later(s step, started func(wake func())) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		started(callOf(ctx).Later(s))
		return &mcp.CallToolResult{}, nil
	}
}

// TestLaterIsTheSame: what the client gets of a call that waited is what it gets
// of one that did not, in both eras.
func TestLaterIsTheSame(t *testing.T) {
	for name, ends := range map[string]step{
		"result": func(context.Context) (*mcp.CallToolResult, error) { return mcp.NewToolResultText("done"), nil },
		"form": func(context.Context) (*mcp.CallToolResult, error) {
			return mcpserver.NewInputRequestBuilder("state").Elicit("form", mcp.ElicitationParams{Message: "x", RequestedSchema: map[string]any{"type": "object"}}).ToolResult(), nil
		},
		"error": func(context.Context) (*mcp.CallToolResult, error) { return nil, errors.New("no") },
		"panic": func(context.Context) (*mcp.CallToolResult, error) { panic("x") },
		"fault": func(context.Context) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructuredOnly(make(chan int)), nil
		},
	} {
		for _, meta := range []string{`"_meta":{}`, modern} {
			if name == "form" && meta != modern { // mcp-go would make a request of it
				continue
			}
			t.Run(name+" "+meta, func(t *testing.T) {
				s := newSession(t, map[string]mcpserver.ToolHandlerFunc{
					"now":   func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) { return ends(ctx) },
					"later": later(ends, func(func()) {}),
				})
				var got []string
				for _, tool := range []string{"now", "later"} {
					out := newBox()
					s.receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`",`+meta+`}}`, out)
					take(t, out.last, 1)
					got = append(got, out.written()...)
				}
				if len(got) != 2 || got[0] != got[1] {
					t.Errorf("at once and later:\n%s", strings.Join(got, "\n"))
				}
			})
		}
	}
}

// TestLaterSeesEveryWake: however wakes fall, a step begins after each, never two
// at a time, and none after the last.
func TestLaterSeesEveryWake(t *testing.T) {
	const wakes, by = 1000, 4
	var news, seen, running, steps atomic.Int64
	over := false
	woken := make(chan func(), 1)
	s := newSession(t, map[string]mcpserver.ToolHandlerFunc{"wait": later(func(context.Context) (*mcp.CallToolResult, error) {
		if running.Add(1) != 1 || over {
			t.Error("a step too many")
		}
		defer running.Add(-1)
		steps.Add(1)
		if seen.Store(news.Load()); seen.Load() < wakes*by {
			return nil, nil
		}
		over = true
		return mcp.NewToolResultText("done"), nil
	}, func(wake func()) {
		wake() // while the handler runs
		woken <- wake
	})})
	out := newBox()
	s.receive(call("1", "wait"), out)
	wake := take(t, woken, 1)[0]
	for range by {
		go func() {
			for range wakes {
				news.Add(1)
				wake()
			}
		}()
	}
	take(t, out.last, 1)
	wake()
	s.drain()
	if want := []string{`{"jsonrpc":"2.0","id":1,` + done}; !slices.Equal(out.written(), want) {
		t.Errorf("got %q after %d steps", out.written(), steps.Load())
	}
}

// TestLaterEnds: a call that rests has no goroutine; its end is a wake, and says
// why.
func TestLaterEnds(t *testing.T) {
	causes, rests := make(chan error, 1), make(chan struct{}, 1)
	s := newSession(t, map[string]mcpserver.ToolHandlerFunc{"wait": later(func(ctx context.Context) (*mcp.CallToolResult, error) {
		if ctx.Err() == nil {
			rests <- struct{}{}
			return nil, nil
		}
		causes <- context.Cause(ctx)
		return nil, context.Cause(ctx)
	}, func(func()) {})})
	for i, end := range []func(){
		func() { s.receive(cancel("1"), nil) },
		func() { s.end(askuser.ErrDisconnected) },
	} {
		id, out, before := strconv.Itoa(i+1), newBox(), runtime.NumGoroutine()
		s.receive(call(id, "wait"), out)
		take(t, rests, 1)
		until(t, func() bool { return runtime.NumGoroutine() <= before })
		if s.Running() != 1 {
			t.Errorf("%d calls run", s.Running())
		}
		end()
		cause := take(t, causes, 1)[0]
		take(t, out.last, 1)
		var cancelled *askuser.Cancelled
		switch {
		case id == "1" && (!errors.As(cause, &cancelled) || len(out.written()) > 0):
			t.Errorf("cancelled: %v, %q", cause, out.written())
		case id == "2" && (!errors.Is(cause, askuser.ErrDisconnected) || len(out.written()) != 1):
			t.Errorf("disconnected: %v, %q", cause, out.written())
		}
		until(t, func() bool { return s.Running() == 0 })
	}
}

// TestRest: memory is given back once many calls have begun to wait, and nothing
// goes on.
func TestRest(t *testing.T) {
	var r rest
	begun := func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.begun
	}
	for range many {
		r.began()
	}
	if r.look(); begun() != many {
		t.Error("the process is busy, and collects")
	}
	until(t, func() bool { return begun() == 0 })
}
