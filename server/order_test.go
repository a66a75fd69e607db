package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

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

// TestTurnWhateverOthersDo: a call that waits for its user, never asks for its turn, fails, panics, is
// cancelled, refused or unknown holds up no call behind it.
func TestTurnWhateverOthersDo(t *testing.T) {
	// A call that ends so has never said that it has its place.
	ends := func(end func() (*mcp.CallToolResult, error)) mcpserver.ToolHandlerFunc {
		return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_, err := callOf(ctx).Turn(ctx)
			if err != nil {
				return nil, err
			}
			return end()
		}
	}
	placed := make(chan error, 1)
	s, out := newSession(t, map[string]mcpserver.ToolHandlerFunc{
		"waits": tool(func(ctx context.Context, k *Call) {
			leave, err := k.Turn(ctx)
			if err == nil {
				leave()
				leave()
				_, err = k.Turn(ctx) // a second time
			}
			if err != nil {
				t.Error(err)
			}
			<-ctx.Done()
		}),
		"takes no turn": tool(func(context.Context, *Call) {}),
		"fails":         ends(func() (*mcp.CallToolResult, error) { return nil, errors.New("fails") }),
		"panics":        ends(func() (*mcp.CallToolResult, error) { panic("panics") }),
		"not encodable": ends(func() (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructuredOnly(make(chan int)), nil
		}),
		"behind": tool(func(ctx context.Context, k *Call) {
			_, err := k.Turn(ctx)
			placed <- err
		}),
	}), newBox()
	s.receive(`{"jsonrpc":"2.0","id":"listens","method":"subscriptions/listen","params":`+
		`{"notifications":{"toolsListChanged":true},`+modern+`}}`, out)
	for _, name := range []string{"waits", "takes no turn", "fails", "panics", "not encodable", "no such tool"} {
		s.receive(call(`"`+name+`"`, name), out)
		if name == "waits" {
			s.receive(call(`"waits"`, name), out) // refused
			s.receive(call(`"leaves"`, name), out)
			s.receive(cancel(`"leaves"`), out)
		}
		s.receive(call(`"behind `+name+`"`, "behind"), out)
		err := waittest.Take(t, placed)
		if err != nil {
			t.Errorf("behind a call that %s: %v", name, err)
		}
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

// TestStackedForms: Codex keeps a form whose question was answered elsewhere, and drops all forms
// behind the one that its user closes: they are sent again, once.
func TestStackedForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		elsewhere, answered := context.WithCancel(t.Context())
		s := newSession(t, map[string]mcpserver.ToolHandlerFunc{"ask": tool(func(ctx context.Context, k *Call) {
			if string(k.id) == "1" {
				ctx = elsewhere
			}
			form := mcp.ElicitationParams{Message: string(k.id), RequestedSchema: json.RawMessage(`{}`)}
			_, _, _ = k.Elicit(ctx, form)
		})})
		out := newBox()
		s.receive(strings.Replace(initialize, "old", "codex-mcp-client", 1), newBox())
		for _, id := range []string{"1", "2", "3"} {
			s.receive(call(id, "ask"), out)
			synctest.Wait()
		}
		answered()
		for _, id := range []string{"1", "2", "4"} { // 2 was dropped: no answer to it counts
			synctest.Wait()
			s.receive(`{"jsonrpc":"2.0","id":"askuser-`+id+`","result":{"action":"cancel"}}`, nil)
		}
		waittest.Pass(t.Context(), time.Minute)
		var got []string
		for _, line := range out.written() {
			if _, id, found := strings.Cut(line, `"message":"`); found {
				got = append(got, id[:1])
			} else if strings.Contains(line, "cancelled") {
				got = append(got, line)
			}
		}
		if got := strings.Join(got, " "); got != "1 2 3 2 3 3" && got != "1 2 3 3 2 2" {
			t.Errorf("forms of the calls %s", got)
		}
		s.end(askuser.ErrDisconnected)
	})
}
