package askuser

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/tools/askuser/wire"
)

// await is the handler of await_answer.
func (t *Tools) await(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := t.newCall(ctx, req)
	if c.returns() {
		return c.resume(ctx)
	}
	id, err := wire.DecodeAwait(c.arguments())
	if err != nil {
		return badArguments(err), nil
	}
	return c.rejoin(ctx, id)
}
