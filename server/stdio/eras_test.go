package stdio

import (
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// modernMeta is the _meta with which a request is of 2026-07-28.
func modernMeta(capabilities string) string {
	return `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
}

func listenLine(id, notifications string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":` + notifications + modernMeta(`{}`) + `}}`
}

func acknowledged(id, notifications string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":` + notifications + `}}`
}

// TestListen: subscriptions/listen is acknowledged under the id as the client
// wrote it, held open while other requests are served, and not answered when
// cancelled.
func TestListen(t *testing.T) {
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"echo": echo}))
	for _, id := range []string{`1`, `"1"`, `9007199254740993`, `"\u003cid\/"`} {
		p.send(listenLine(id, `{"toolsListChanged":true}`))
		p.want(acknowledged(id, `{"toolsListChanged":true}`))
	}
	p.send(pingLine("2"))
	p.want(pong("2"))
	p.send(cancelLine(`"1"`, ""), cancelLine(`9007199254740993`, ""), pingLine("2"))
	p.want(pong("2"))
	rest, err := p.hangUp()
	if err != nil || len(rest) != 2 {
		t.Errorf("Serve returned %v, wrote %q, want the ends of the two streams left", err, rest)
	}
}
