package askuser

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
)

// modern is what requests of 2026-07-28 say of their client; what answers them is longer.
const modern = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`

// list returns the result of tools/list as it is sent.
func list(t *testing.T, c Config, params string) []byte {
	t.Helper()
	s := mcpserver.NewMCPServer("mcp-askuser", "v1.0.0")
	New(c).Register(s)
	response, err := json.Marshal(s.HandleMessage(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":`+params+`}`)))
	fatal.If(t, err)
	var r struct{ Result json.RawMessage }
	fatal.If(t, json.Unmarshal(response, &r))
	return r.Result
}

// What clients see of the tools is a change of its own in every diff.
func TestToolsListIsGolden(t *testing.T) {
	raw := list(t, Config{Limits: question.DefaultLimits()}, "{}")
	if long := list(t, Config{Limits: question.DefaultLimits()}, modern); len(long) < len(raw)+100 || len(raw) > 4500 {
		t.Errorf("tools/list has %d bytes, of 2026-07-28 %d; they are the user's context, and at most 4,500", len(raw), len(long))
	}
	var pretty bytes.Buffer
	fatal.If(t, json.Indent(&pretty, raw, "", "  "))
	golden.Check(t, "tools_list.json", string(append(pretty.Bytes(), '\n')))
	text := texts.Text("instructions")
	if len(text) >= 1000 {
		t.Errorf("the instructions have %d bytes, and should have fewer than 1,000", len(text))
	}
	golden.Check(t, "instructions.txt", text+"\n")
}
