package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/waittest"
)

// elicited is what a tool got for its form.
type elicited struct {
	result *mcp.ElicitationResult
	err    error
}

var form = mcp.ElicitationParams{
	Message:         "Which?",
	RequestedSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`),
}

// asking connects a peer with these capabilities to a tool that elicits form.
func asking(t *testing.T, capabilities string, request mcp.ElicitationParams) (*peer, <-chan elicited) {
	t.Helper()
	results := make(chan elicited, many)
	tool := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, _, err := transportOf(ctx).Elicit(ctx, request)
		results <- elicited{result, err}
		return mcp.NewToolResultText("done"), nil
	}
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"ask": tool}))
	if capabilities != "" {
		p.initialize(capabilities)
	}
	return p, results
}

// elicitationLine is what the client sees, its schema in the order given.
func elicitationLine(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"askuser-%d","method":"elicitation/create","params":{"message":"Which?",`+
		`"requestedSchema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}}}`, id)
}

func TestElicitationAnswers(t *testing.T) {
	tests := []struct {
		name    string
		answer  string
		action  mcp.ElicitationResponseAction // empty: an error
		content any
		wrong   string
	}{
		{name: "accept", answer: `"result":{"action":"accept","content":{"a":"x","n":1}}`, action: "accept", content: map[string]any{"a": "x", "n": 1.0}},
		{name: "accept with null", answer: `"result":{"action":"accept","content":null,"_meta":{"x":1}}`, action: "accept"},
		{name: "decline", answer: `"result":{"action":"decline","content":"ignored"}`, action: "decline",
			content: "ignored"},
		{name: "cancel", answer: `"result":{"action":"cancel"}`, action: "cancel"},
		{name: "an error beside null", answer: `"result":{"action":"cancel"},"error":null`, action: "cancel"},
		{name: "unknown action", answer: `"result":{"action":"yes"}`, action: "yes"},
		{name: "no object", answer: `"result":[1]`, wrong: "malformed elicitation result"},
		{name: "error", answer: `"error":{"code":-32602,"message":"no arrays"}`, wrong: "-32602: no arrays"},
		{name: "malformed error", answer: `"error":7`, wrong: "malformed error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, results := asking(t, `{"elicitation":{}}`, form)
			p.send(callLine("1", "ask"))
			p.want(elicitationLine(1))
			p.send(`{"jsonrpc":"2.0","id":"askuser-1",` + test.answer + `}`)
			got := waittest.Take(t, results)
			p.want(textResult("1", "done"))
			switch {
			case test.action == "":
				if got.err == nil || !strings.Contains(got.err.Error(), test.wrong) {
					t.Errorf("error %v, want %q", got.err, test.wrong)
				}
			case got.err != nil:
				t.Error(got.err)
			case got.result.Action != test.action || !reflect.DeepEqual(got.result.Content, test.content):
				t.Errorf("got %v %v", got.result.Action, got.result.Content)
			}
		})
	}
}

// TestElicitationUndeclared: a client never sees what it did not declare, nor
// what it would not answer.
func TestElicitationUndeclared(t *testing.T) {
	url := mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: "m", ElicitationID: "1", URL: "https://example.org"}
	tests := []struct {
		name         string
		capabilities string
		request      mcp.ElicitationParams
		meta         string
		want         error
	}{
		{"nothing declared", `{"roots":{}}`, form, ``, mcpserver.ErrElicitationNotSupported},
		{"addresses only", `{"elicitation":{"url":{}}}`, form, ``, mcpserver.ErrElicitationNotSupported},
		{"forms only", `{"elicitation":{}}`, url, ``, mcpserver.ErrElicitationNotSupported},
		{"2026-07-28", ``, form, modernMeta(`{"elicitation":{"form":{}}}`), mcpserver.ErrServerInitiatedRequestUnsupported},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, results := asking(t, test.capabilities, test.request)
			p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"` + test.meta + `}}`)
			err := waittest.Take(t, results).err
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if line := p.next(); !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":1,"result":`) {
				t.Errorf("the client saw %s", line)
			}
		})
	}
}
