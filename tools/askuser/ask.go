package askuser

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/tools/askuser/wire"
)

// ask is the handler of ask_user_question.
func (t *Tools) ask(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := t.newCall(ctx, req)
	var form wire.Call
	arguments, err := t.filled(c.arguments(), c.Directory(ctx))
	if err == nil {
		form, err = wire.DecodeAsk(arguments, t.Limits)
	}
	c.dropped = form.Dropped
	if c.returns() {
		return c.resume(ctx)
	}
	if err != nil {
		return badArguments(err), nil
	}
	return c.put(ctx, form)
}
