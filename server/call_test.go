package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"testing/synctest"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
)

// tool makes a tool of what it does with its call.
func tool(do func(ctx context.Context, k *Call)) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		do(ctx, callOf(ctx))
		return mcp.NewToolResultText("done"), nil
	}
}

const done = `"result":{"content":[{"type":"text","text":"done"}]}}`

// TestTransport: what a call knows of itself.
func TestTransport(t *testing.T) {
	seen := make(chan askuser.Client, 1)
	s := newSession(t, map[string]mcpserver.ToolHandlerFunc{"who": tool(func(ctx context.Context, k *Call) {
		if k.Client().Session != "session" || k.Directory(t.Context()) != "/project" {
			t.Errorf("session %q in %q", k.Client().Session, k.Directory(t.Context()))
		}
		if mcpserver.IsModernRequest(ctx) != k.Client().Modern {
			t.Errorf("version %q, mcp-go says otherwise", k.Client().ProtocolVersion)
		}
		seen <- k.Client()
	})})
	who := func(meta string) (c askuser.Client, elicits bool) {
		out := newBox()
		s.receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who",`+meta+`}}`, out)
		waittest.Take(t, out.last)
		c = waittest.Take(t, seen)
		return c, c.Capabilities.Elicitation != nil
	}
	if c, elicits := who(`"_meta":{}`); c.Name != "" || elicits || c.ProtocolVersion != "" || c.Modern {
		t.Errorf("before anybody said: %+v", c)
	}
	s.receive(initialize, newBox())
	for range 2 {
		if c, elicits := who(`"_meta":{"progressToken":1}`); c.Name != "old" || !elicits || c.ProtocolVersion != "2025-11-25" || c.Modern {
			t.Errorf("of the older era: %+v", c)
		}
		// What such a request says is for itself alone.
		if c, elicits := who(modern); c.Name != "new" || !elicits || c.ProtocolVersion != "2026-07-28" || !c.Modern {
			t.Errorf("of 2026-07-28: %+v", c)
		}
		if c, elicits := who(strings.Replace(modern, `{"elicitation":{"form":{}}}`, `{}`, 1)); elicits || !c.Modern {
			t.Errorf("of 2026-07-28, without forms: %+v", c)
		}
	}
}

// TestPromptRefused: arguments that a prompt does not take are the client's fault.
func TestPromptRefused(t *testing.T) {
	s := newSession(t, nil)
	s.mcp.AddPrompt(mcp.NewPrompt("deploy"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, errors.New(`no variable "were"`)
	})
	s.receive(initialize, newBox())
	out := newBox()
	s.receive(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"deploy","arguments":{"were":"prod"}}}`, out)
	waittest.Take(t, out.last)
	if got, want := out.written()[0], `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no variable \"were\""}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestOwnSink: whatever belongs to a call goes into the sink that came with
// it, a form and its withdrawal too, and the response is the last: no form is sent
// for a call that has ended, nor for a context that has. Nothing else needs a sink.
func TestOwnSink(t *testing.T) {
	shown, calls := make(chan error, 2), make(chan *Call, 1)
	form := mcp.ElicitationParams{Message: "Which?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)}
	var s *peer
	s = newSession(t, map[string]mcpserver.ToolHandlerFunc{
		"leaves": tool(func(ctx context.Context, k *Call) { // its form outlasts it
			if err := k.Notify("notifications/progress", map[string]int{"progress": 1}); err != nil {
				t.Error(err)
			}
			go func() {
				_, _, err := k.Elicit(context.WithoutCancel(ctx), form)
				shown <- err
			}()
			until(t, func() bool { return s.waiting() > 0 })
			calls <- k
		}),
		"asks": tool(func(ctx context.Context, k *Call) {
			result, _, err := k.Elicit(ctx, form)
			if err == nil && result.Action != mcp.ElicitationResponseActionDecline {
				err = fmt.Errorf("action %s", result.Action)
			}
			shown <- err
		}),
	})
	s.receive(initialize, newBox())

	first, second := newBox(), newBox()
	s.receive(call("1", "leaves"), first)
	waittest.Take(t, first.last)
	if err := waittest.Take(t, shown); !errors.Is(err, ui.ErrCallEnded) {
		t.Errorf("Elicit: %v", err)
	}
	if got, want := first.written(), []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`,
		`{"jsonrpc":"2.0","id":"askuser-1","method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"the call that showed the question has ended","requestId":"askuser-1"}}`,
		`{"jsonrpc":"2.0","id":1,` + done,
	}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}

	ended := waittest.Take(t, calls)
	if _, _, err := ended.Elicit(t.Context(), form); !errors.Is(err, ui.ErrCallEnded) {
		t.Errorf("after the call: %v", err)
	}
	ctx, end := context.WithCancelCause(t.Context())
	cause := errors.New("answered elsewhere")
	end(cause)
	if _, _, err := ended.Elicit(ctx, form); !errors.Is(err, cause) {
		t.Errorf("after the context: %v", err)
	}

	s.receive(call("2", "asks"), second)
	until(t, func() bool { return s.waiting() > 0 })
	s.receive(`{"jsonrpc":"2.0","id":"askuser-2","result":{"action":"decline"}}`, nil)
	waittest.Take(t, second.last)
	if err := waittest.Take(t, shown); err != nil {
		t.Error(err)
	}
	if len(first.written()) != 4 || len(second.written()) != 2 {
		t.Errorf("the second call wrote %q; in the first one's box are now %d lines", second.written(), len(first.written()))
	}
}

// TestElicitationAnswers: what a tool receives for each answer to its form.
func TestElicitationAnswers(t *testing.T) {
	said := make(chan string, 1)
	s := newSession(t, map[string]mcpserver.ToolHandlerFunc{"ask": tool(func(ctx context.Context, k *Call) {
		result, _, err := k.Elicit(ctx, mcp.ElicitationParams{Message: "m", RequestedSchema: json.RawMessage(`{}`)})
		if err != nil {
			said <- err.Error()
			return
		}
		said <- fmt.Sprint(result.Action, " ", result.Content)
	})})
	s.receive(initialize, newBox())
	for i, test := range []struct{ answer, want string }{
		{`"result":{"action":"accept","content":{"a":"x","n":1}}`, "accept map[a:x n:1]"},
		{`"result":{"action":"accept","content":null,"_meta":{"x":1}}`, "accept <nil>"},
		{`"result":{"action":"decline","content":"ignored"}`, "decline ignored"},
		{`"result":{"action":"cancel"},"error":null`, "cancel <nil>"},
		{`"result":{"action":"yes"}`, "yes <nil>"},
		{`"result":[1]`, "malformed elicitation result"},
		{`"error":{"code":-32602,"message":"no arrays"}`, "-32602: no arrays"},
		{`"error":7`, "malformed error"},
		{`"x":1`, "malformed elicitation result"},
	} {
		out := newBox()
		s.receive(call("1", "ask"), out)
		until(t, func() bool { return s.waiting() > 0 })
		s.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":"askuser-%d",%s}`, i+1, test.answer), nil)
		got := waittest.Take(t, said)
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.answer, got, test.want)
		}
		waittest.Take(t, out.last)
	}
}

// waiting is how many requests wait for the client.
func (s *Session) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// TestAnswerAgainstEnd: an answer that is there when the context ends is
// taken, not lost.
func TestAnswerAgainstEnd(t *testing.T) {
	s := newSession(t, nil)
	k := &Call{session: s.Session, out: newBox(), ctx: t.Context()}
	for range 100 { // select chooses at random
		ctx, end := context.WithCancel(t.Context())
		_, err := k.request(ctx, "x", nil, func() {
			id := fmt.Sprintf(`"askuser-%d"`, s.requested)
			s.deliver(&Message{ID: json.RawMessage(id), Result: json.RawMessage(`{}`)})
			end()
		})
		fatal.If(t, err)
	}
}

const internalError = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error; see the server's log"}}`

// bomb is a result that panics when it is encoded.
type bomb struct{}

func (bomb) MarshalJSON() ([]byte, error) { panic("secret bomb") }

// TestDelivered: what a handler hears of its response, once: true only for the result that it
// returned, written whole. Nothing follows a cancel. The details of a failure are for the log alone.
func TestDelivered(t *testing.T) {
	type result = mcp.CallToolResult
	text := func() (*result, error) { return mcp.NewToolResultText("done"), nil }
	const good = `{"jsonrpc":"2.0","id":1,` + done
	tests := []struct {
		name    string
		returns func() (*result, error)
		change  func(s *peer, out *box) // before it returns
		want    bool
		written string
		log     string
	}{
		{"written", text, func(*peer, *box) {}, true, good, ""},
		{"cancelled", text, func(s *peer, _ *box) { s.receive(cancel("1"), nil) }, false, "", ""},
		{"disconnected, though written", text, func(s *peer, _ *box) { s.end(askuser.ErrDisconnected) }, true, good, ""},
		{"the output fails", text, func(_ *peer, out *box) { out.fails = errors.New("broken pipe") }, false, "", ""},
		{"the sink is closed", text, func(_ *peer, out *box) { out.closed = true }, false, "", ""},
		{"panic", func() (*result, error) { panic("secret path") }, func(*peer, *box) {}, false, internalError, "call_test.go"},
		{"not encodable", func() (*result, error) { return mcp.NewToolResultStructuredOnly(make(chan int)), nil },
			func(*peer, *box) {}, false, internalError, "unsupported type: chan int"},
		{"panic of the encoding", func() (*result, error) { return mcp.NewToolResultStructured(bomb{}, "x"), nil },
			func(*peer, *box) {}, false, internalError, "secret bomb"},
		{"error", func() (*result, error) { return nil, errors.New("x") }, func(*peer, *box) {}, false,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			told, out := make(chan bool, 2), newBox()
			var s *peer
			ask := func(ctx context.Context, _ mcp.CallToolRequest) (*result, error) {
				k := callOf(ctx)
				k.Delivered(func(bool) { t.Error("not the last f was told") })
				k.Delivered(func(written bool) { told <- written })
				test.change(s, out)
				if !k.isOpen() {
					_ = k.Notify("notifications/progress", nil)
				}
				return test.returns()
			}
			s = newSession(t, map[string]mcpserver.ToolHandlerFunc{"ask": ask})
			s.receive(call("1", "ask"), out)
			s.drain()
			if got := waittest.Take(t, told); got != test.want || len(told) > 0 {
				t.Errorf("told %v, want %v; then %d more", got, test.want, len(told))
			}
			if got := strings.Join(out.written(), "\n"); got != test.written {
				t.Errorf("written %s", got)
			}
			if log := s.log.String(); !strings.Contains(log, test.log) || test.log == "" && log != "" {
				t.Errorf("logged %s", log)
			}
		})
	}
}

// TestLast: each request has one message that ends it, wanted or not.
func TestLast(t *testing.T) {
	s := newSession(t, map[string]mcpserver.ToolHandlerFunc{
		"waits":  tool(func(ctx context.Context, _ *Call) { <-ctx.Done() }),
		"panics": tool(func(context.Context, *Call) { panic("x") }),
	})
	out := newBox()
	for _, text := range []string{
		initialize, call("1", "waits"), call("1", "waits"), cancel("1"), call("2", "panics"), call("3", "nosuch"),
		`{"jsonrpc":"2.0","id":4,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{},` + modern + `}}`,
	} {
		s.receive(text, out)
	}
	waittest.TakeAll(t, out.last, 7)
	s.drain()
	if len(out.last) != 0 {
		t.Errorf("%d messages too many end a request", len(out.last))
	}
	s.receive(call("6", "waits"), out) // refused: the connection is closing
	waittest.Take(t, out.last)
}

// TestFormClosedAtExit: a client that exits cancels its forms, which is no act of its user. A
// client that stays has closed the form for its user.
func TestFormClosedAtExit(t *testing.T) {
	for name, exits := range map[string]bool{"exits": true, "stays": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 1)
				s := newSession(t, map[string]mcpserver.ToolHandlerFunc{"ask": tool(func(ctx context.Context, k *Call) {
					_, _, err := k.Elicit(ctx, mcp.ElicitationParams{Message: "m", RequestedSchema: json.RawMessage(`{}`)})
					ended <- err
				})})
				s.receive(initialize, newBox())
				s.receive(call("1", "ask"), newBox())
				waittest.Pass(t.Context(), time.Minute)
				s.receive(`{"jsonrpc":"2.0","id":"askuser-1","result":{"action":"cancel"}}`, nil)
				waittest.Pass(t.Context(), 300*time.Millisecond)
				if exits {
					s.end(askuser.ErrDisconnected)
				}
				if err := <-ended; errors.Is(err, ui.ErrCallEnded) != exits || err != nil != exits {
					t.Errorf("the form ended with %v", err)
				}
			})
		})
	}
}
