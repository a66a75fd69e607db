package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

// register keeps the ids of calls in the order in which they took their place.
type register struct {
	mu  sync.Mutex
	ids []string
}

func (r *register) add(k *Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = append(r.ids, string(k.id))
}

// TestFormsInOrderOfArrival: the first forms of calls reach the client in that
// order, as it shows them, however long each has tried other surfaces; but
// none waits longer than a second for calls that put none, nor counts that as
// the time of its user. Nor counts the time in which the client may have shown
// another's form.
func TestFormsInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := map[string]time.Duration{"1": time.Minute, "2": time.Second, "4": 800 * time.Millisecond, "5": time.Second}
		asks := func(after time.Duration) mcpserver.ToolHandlerFunc {
			return tool(func(ctx context.Context, k *Call) {
				waittest.Pass(ctx, after)
				_, took, err := k.Elicit(ctx, mcp.ElicitationParams{Message: string(k.id), RequestedSchema: json.RawMessage(`{}`)})
				if err != nil || took != shown[string(k.id)] {
					t.Errorf("call %s: the form was shown for %v: %v", k.id, took, err)
				}
			})
		}
		s := newSession(t, map[string]mcpserver.ToolHandlerFunc{
			"fails":     tool(func(context.Context, *Call) {}),
			"late":      asks(200 * time.Millisecond),
			"at once":   asks(0),
			"elsewhere": tool(func(ctx context.Context, _ *Call) { waittest.Pass(ctx, time.Hour) }),
		})
		s.receive(initialize, newBox())
		box := newBox()
		sent := func() (forms []string) {
			for _, line := range box.written() {
				if _, form, found := strings.Cut(line, `"message":"`); found {
					forms = append(forms, form[:1])
				}
			}
			return forms
		}
		for i, name := range []string{"fails", "late", "at once", "elsewhere", "at once", "at once"} {
			if i == 5 {
				waittest.Pass(t.Context(), time.Millisecond)
			}
			s.receive(call(strconv.Itoa(i), name), box)
		}
		waittest.Pass(t.Context(), 299*time.Millisecond)
		if got := sent(); !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("forms of the calls %v, want 1 2", got)
		}
		waittest.Pass(t.Context(), time.Minute-100*time.Millisecond)
		decline := func(ids ...int) {
			for i, id := range ids {
				if i > 0 {
					waittest.Pass(t.Context(), time.Second)
				}
				s.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":"askuser-%d","result":{"action":"decline"}}`, id), nil)
			}
		}
		decline(1, 2)
		if got := sent(); !slices.Equal(got, []string{"1", "2", "4", "5"}) {
			t.Errorf("forms of the calls %v, want 1 2 4 5", got)
		}
		waittest.Pass(t.Context(), 800*time.Millisecond)
		decline(3, 4)
		waittest.Pass(t.Context(), time.Hour)
		s.drain()
	})
}

// TestTurnWhateverOthersDo: calls that are cancelled at any moment, panic,
// fail, are unknown, or never ask for their turn hold nobody up, and nobody
// overtakes.
func TestTurnWhateverOthersDo(t *testing.T) {
	const calls = 2000
	r := new(register)
	after := func(end func() (*mcp.CallToolResult, error), turn bool) mcpserver.ToolHandlerFunc {
		return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if turn {
				if _, err := callOf(ctx).Turn(ctx); err != nil {
					return nil, err
				}
				r.add(callOf(ctx)) // and never says that it has its place
			}
			return end()
		}
	}
	done := func() (*mcp.CallToolResult, error) { return mcp.NewToolResultText("done"), nil }
	tools := map[string]mcpserver.ToolHandlerFunc{
		"ask": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			leave, err := callOf(ctx).Turn(ctx)
			if err != nil {
				return nil, err
			}
			r.add(callOf(ctx))
			leave()
			leave()
			if _, err := callOf(ctx).Turn(ctx); err != nil { // a second time
				return nil, err
			}
			<-ctx.Done() // its place is taken: it may wait for ever
			return nil, context.Cause(ctx)
		},
		"ends":          after(done, true),
		"ends early":    after(done, false),
		"fails":         after(func() (*mcp.CallToolResult, error) { return nil, errors.New("fails") }, true),
		"panics":        after(func() (*mcp.CallToolResult, error) { panic("panics") }, true),
		"panics early":  after(func() (*mcp.CallToolResult, error) { panic("panics") }, false),
		"not encodable": after(func() (*mcp.CallToolResult, error) { return mcp.NewToolResultStructuredOnly(make(chan int)), nil }, true),
	}
	names := []string{"ask", "ask", "ends", "ends early", "fails", "panics", "panics early", "not encodable", "no such tool"}
	s, out, random := newSession(t, tools), newBox(), rand.New(rand.NewPCG(1, 2))
	for i := range calls {
		id := strconv.Itoa(i)
		switch random.IntN(10) {
		case 0:
			s.receive(`{"jsonrpc":"2.0","id":"`+id+`","method":"ping"}`, out)
		case 1: // listens for ever, and is no tool call
			s.receive(`{"jsonrpc":"2.0","id":"`+id+`","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+modern+`}}`, out)
		case 2:
			s.receive(call(id, "ask"), out)
			s.receive(call(id, "ask"), out) // refused
		default:
			s.receive(call(id, names[random.IntN(len(names))]), out)
		}
		if random.IntN(3) == 0 {
			s.receive(cancel(strconv.Itoa(random.IntN(i+1))), out)
		}
	}
	placed := make(chan struct{})
	s.mcp.AddTool(mcp.NewTool("last"), tool(func(ctx context.Context, k *Call) {
		_, err := k.Turn(ctx)
		if err != nil {
			t.Error(err)
		}
		r.add(k)
		close(placed)
	}))
	s.receive(call(strconv.Itoa(calls), "last"), out)
	waittest.Take(t, placed) // though hundreds wait before it
	s.end(askuser.ErrDisconnected)
	s.drain()

	got := r.ids
	if !slices.IsSortedFunc(got, func(a, b string) int { return number(a) - number(b) }) {
		t.Errorf("somebody overtook: %v", got)
	}
	if len(got) < calls/10 {
		t.Errorf("only %d calls took their place", len(got))
	}
}

// TestTurnEnds: a call that waits for its turn gives up when its context ends, with
// the cause, and those behind it wait on for the first alone.
func TestTurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o order
		first, second, third := o.join(), o.join(), o.join()
		ctx, end := context.WithCancelCause(t.Context())
		cause := &askuser.Cancelled{Reason: "user-cancel"}
		given, turn := make(chan error, 1), make(chan error, 1)
		go func() { given <- second.wait(ctx) }()
		go func() { turn <- third.wait(t.Context()) }()
		end(cause)
		if err := waittest.Take(t, given); !errors.Is(err, cause) {
			t.Errorf("got %v, want the cause", err)
		}
		second.leave()
		synctest.Wait()
		if len(turn) != 0 {
			t.Error("the third did not wait for the first")
		}
		first.leave()
		if err := waittest.Take(t, turn); err != nil {
			t.Error(err)
		}
	})
}

func number(id string) int { n, _ := strconv.Atoi(id); return n }
