package askuser

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/tools/askuser/wire"
)

// confirm is the handler of confirm_action.
func (t *Tools) confirm(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := t.newCall(ctx, req)
	if c.returns() {
		return c.resume(ctx)
	}
	form, err := wire.DecodeConfirm(c.arguments(), t.Limits)
	if err != nil {
		return badArguments(err), nil
	}
	return c.put(ctx, form)
}
