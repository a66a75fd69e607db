//go:build unix

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/internal/fatal"
)

// answer is what a user does with a form.
type answer func(mcp.ElicitationParams) (*mcp.ElicitationResult, error)

// human answers the forms that reach the client, from a script.
type human struct {
	t     *testing.T
	forms atomic.Int32
	do    []answer
}

func (h *human) Elicit(_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	n := int(h.forms.Add(1))
	if n > len(h.do) {
		h.t.Errorf("a form too many: %s", req.Params.Message)
		return nil, errors.New("out of script")
	}
	return h.do[n-1](req.Params)
}

func act(action mcp.ElicitationResponseAction, content map[string]any) answer {
	return func(mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
		r := &mcp.ElicitationResult{}
		r.Action = action
		if content != nil {
			r.Content = content
		}
		return r, nil
	}
}

// accept accepts as no host would: later than 600 ms.
func accept(content map[string]any) answer {
	return func(p mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
		<-time.After(650 * time.Millisecond) // the time itself is what is tested
		return act(mcp.ElicitationResponseActionAccept, content)(p)
	}
}

type era struct {
	name    string
	version string
	options []client.ClientOption
	client  string // its name; empty for a client of no interest
}

var eras = []era{
	//lint:ignore SA1019 the older era is what is tested
	{"2025-11-25", mcp.ProtocolVersion20251125, []client.ClientOption{client.WithLegacyProtocolOnly()}, ""},
	{"2026-07-28", mcp.ProtocolVersion20260728,
		[]client.ClientOption{client.WithProtocolVersion(mcp.ProtocolVersion20260728)}, ""},
}

// connect starts the program as an MCP client does.
func connect(t *testing.T, e era, dir string, h *human, args ...string) *client.Client {
	t.Helper()
	return connectTo(t, e, program(t, dir, args...), h)
}

func connectTo(t *testing.T, e era, server *exec.Cmd, h *human) *client.Client {
	t.Helper()
	options := e.options
	if h != nil {
		options = append(slices.Clip(options), client.WithElicitationHandler(h))
	}
	stdio := transport.NewStdioWithOptions("mcp-askuser", nil, nil, transport.WithCommandFunc(
		func(context.Context, string, []string, []string) (*exec.Cmd, error) { return server, nil }))
	return initialized(t, client.NewClient(stdio, options...), e)
}

func initialized(t *testing.T, c *client.Client, e era) *client.Client {
	t.Helper()
	fatal.If(t, c.Start(t.Context()))
	t.Cleanup(func() { _ = c.Close() })
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = e.version
	hello.Params.ClientInfo = mcp.Implementation{Name: cmp.Or(e.client, "test"), Version: cmp.Or(e.client, "1")}
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	if c.ProtocolVersion() != e.version {
		t.Fatalf("the protocol is %s, want %s", c.ProtocolVersion(), e.version)
	}
	return c
}

func call(t *testing.T, c *client.Client, tool, args string) (text string, structured map[string]any, failed bool) {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name = tool
	req.Params.Arguments = json.RawMessage(args)
	r, err := c.CallTool(t.Context(), req)
	fatal.If(t, err)
	if len(r.Content) != 1 {
		t.Fatalf("%d content blocks, want 1", len(r.Content))
	}
	structured, _ = r.StructuredContent.(map[string]any)
	return r.Content[0].(mcp.TextContent).Text, structured, r.IsError
}

const (
	database = `{"questions":[{"question":"Which ` +
		`database?","header":"Database","options":[{"label":"PostgreSQL","description":"Relational"},{"label":"MongoDB"}]}]}`
	said = `User has answered your questions: %s. You can now continue with the user's answers in mind.`
)

func TestClientsForm(t *testing.T) {
	for _, e := range eras {
		for _, tc := range []struct {
			name   string
			do     []answer
			text   string
			status string
		}{
			{"in own words",
				[]answer{accept(map[string]any{"q1": "Other..."}), accept(map[string]any{"q1_other": "SQLite"})},
				fmt.Sprintf(said, `"Which database?"="SQLite"`), "answered"},
			{"declined by the host", []answer{act("decline", nil)},
				"There is no way to show the question", "unavailable"},
		} {
			t.Run(e.name+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				h := &human{t: t, do: tc.do}
				c := connect(t, e, t.TempDir(), h)
				text, structured, failed := call(t, c, "ask_user_question", database)
				if !strings.HasPrefix(text, tc.text) {
					t.Errorf("got  %s\nwant %s", text, tc.text)
				}
				status, _ := structured["status"].(string)
				if status != tc.status {
					t.Errorf("status %q, want %q", status, tc.status)
				}
				summary, _ := structured["summary"].(string)
				if failed != (status == "unavailable") || summary == "" {
					t.Errorf("failed: %t, with %v", failed, structured)
				}
				if n := int(h.forms.Load()); n != len(tc.do) {
					t.Errorf("%d forms were shown, want %d", n, len(tc.do))
				}
			})
		}
	}
}
