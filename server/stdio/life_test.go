package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

const internalError = `"error":{"code":-32603,"message":"internal error; see the server's log"}}`

// TestFailuresInside: a call whose handler panics, or whose result cannot be
// encoded, is answered all the same; the details are for the log alone.
func TestFailuresInside(t *testing.T) {
	tests := []struct {
		name    string
		handler mcpserver.ToolHandlerFunc
		log     []string
	}{
		{"panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			panic("secret path")
		}, []string{"secret path", "life_test.go"}},
		{"a channel as result", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructuredOnly(make(chan int)), nil
		}, []string{"unsupported type: chan int"}},
		{"a result that panics when encoded", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(bomb{}, "x"), nil
		}, []string{"secret bomb"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"fail": test.handler}))
			p.send(callLine("9007199254740993", "fail"))
			p.want(`{"jsonrpc":"2.0","id":9007199254740993,` + internalError)
			p.send(pingLine("2"))
			p.want(pong("2"))
			for _, want := range test.log {
				if !strings.Contains(p.log.String(), want) {
					t.Errorf("%q is missing in the log: %s", want, p.log)
				}
			}
		})
	}
}

type bomb struct{}

func (bomb) MarshalJSON() ([]byte, error) { panic("secret bomb") }

// TestPipelinedInitialize: a call sent with initialize in one write finds the
// capabilities (with mcp-go 250 times of 300).
func TestPipelinedInitialize(t *testing.T) {
	s := testServer(map[string]mcpserver.ToolHandlerFunc{"can": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(fmt.Sprint(transportOf(ctx).Client().Capabilities.Elicitation != nil)), nil
	}})
	for range 300 {
		in := strings.NewReader(initializeLine(`{"elicitation":{}}`) + "\n" + callLine("1", "can") + "\n")
		var out strings.Builder
		fatal.If(t, Serve(t.Context(), s, in, &out, Options{}))
		if want := textResult("1", "true") + "\n"; !strings.Contains(out.String(), want) {
			t.Fatalf("got %s", out.String())
		}
	}
}

// FuzzServe: whatever a client sends, Serve survives it and writes nothing but
// lines of JSON-RPC.
func FuzzServe(f *testing.F) {
	f.Add(initializeLine(`{"elicitation":{}}`) + "\n" + callLine("1", "echo") + "\n" + cancelLine("1", "x"))
	f.Add(callLine(`"a"`, "ask") + "\n" + `{"jsonrpc":"2.0","id":"askuser-1","result":{"action":"accept"}}`)
	f.Add(listenLine("1", `{"toolsListChanged":true}`) + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	f.Add("[]\n{}\nnull\n\n{\"id\":1}")
	s := testServer(map[string]mcpserver.ToolHandlerFunc{"echo": echo, "ask": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, _, err := transportOf(ctx).Elicit(ctx, form)
		return nil, err
	}})
	f.Fuzz(func(t *testing.T, in string) {
		var out strings.Builder
		fatal.If(t, Serve(t.Context(), s, strings.NewReader(in), &out, Options{Grace: waittest.Patience}))
		for line := range strings.Lines(out.String()) {
			var message struct{ JSONRPC string }
			if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" {
				t.Fatalf("%q: %v", line, err)
			}
		}
	})
}
