package stdio

import (
	"context"
	"encoding/json"
	"fmt"
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

// asking connects a peer to a tool that elicits form.
func asking(t *testing.T) (*peer, <-chan elicited) {
	t.Helper()
	results := make(chan elicited, many)
	tool := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, _, err := transportOf(ctx).Elicit(ctx, form)
		results <- elicited{result, err}
		return mcp.NewToolResultText("done"), nil
	}
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"ask": tool}))
	p.initialize(`{"elicitation":{}}`)
	return p, results
}

// TestElicitationAnswers: what a tool receives for each answer to its form, which the client sees with
// its schema in the order given.
func TestElicitationAnswers(t *testing.T) {
	p, results := asking(t)
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
		p.send(callLine("1", "ask"))
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":"askuser-%d","method":"elicitation/create","params":`+
			`{"message":"Which?","requestedSchema":{"type":"object","properties":`+
			`{"z":{"type":"string"},"a":{"type":"string"}}}}}`, i+1))
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"askuser-%d",%s}`, i+1, test.answer))
		got := waittest.Take(t, results)
		p.want(textResult("1", "done"))
		said := fmt.Sprint(got.err)
		if got.err == nil {
			said = fmt.Sprint(got.result.Action, " ", got.result.Content)
		}
		if !strings.Contains(said, test.want) {
			t.Errorf("%s: got %s, want %s", test.answer, said, test.want)
		}
	}
}
