package askuser

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// Config is what the tools need from their surroundings.
type Config struct {
	Desk      *desk.Desk
	Presenter *present.Presenter
	Log       *slog.Logger
	Limits    question.Limits
	// Surfaces are tried in order. One named elicit is the placeholder of the
	// client's own form.
	Surfaces []ui.Surface
	// Beside, if there is one, is a pane beside the client. It is tried before the form of
	// a host that has paneFirst, and before a form that would not show all of a set.
	Beside ui.Surface
	Hold   time.Duration // how long one call waits; 0: as its host allows
	// Getenv reads the client's environment, where the client has started the server; else nil.
	Getenv  func(string) string
	Timeout time.Duration // how long the user may take; 0: without end
	Tick    time.Duration // between progress messages; 0: 10 s
	// Attended reports whether a user reads what the model of a client writes; known
	// means that the client is a known host. Nil: no user does.
	Attended func(known bool) bool
	// Command is what the user runs to answer here: mcp-askuser inbox.
	Command string
	// Templates are the directories with the user's question templates, and those
	// of the project that a directory is in; empty is the server's own. Nil: none.
	Templates func(directory string) []string
	Host      int // the process id of the host, where all calls come from one; 0: unknown
	// Remote means that clients call over the network: their limits are shorter, and
	// they do not receive an address of the page that would let them answer.
	Remote bool
}

// Tools are the MCP tools. They are safe for concurrent use.
type Tools struct {
	Config
	started    time.Time
	submitting chan struct{} // holds a token for each call that submits its question
	settleTime time.Duration
}

// maxSubmitting is how many questions are submitted at once: each may block a
// thread of the system for a while.
const maxSubmitting = 32

// New returns the tools.
func New(c Config) *Tools {
	c.Limits.Lenient = true // see question.Limits
	c.Tick = cmp.Or(c.Tick, 10*time.Second)
	return &Tools{Config: c, started: time.Now(), submitting: make(chan struct{}, maxSubmitting), settleTime: settleTime}
}

// Register adds the three tools to an MCP server.
func (t *Tools) Register(s *mcpserver.MCPServer) {
	schema := wire.Schemas(t.Limits)
	t.addTemplates(s)
	s.AddTools(
		mcpserver.ServerTool{Tool: tool("ask_user_question", "Ask the user", schema.Ask, schema.AskResult), Handler: t.ask},
		mcpserver.ServerTool{Tool: tool("confirm_action", "Confirm an action", schema.Confirm, schema.ConfirmResult),
			Handler: t.confirm},
		mcpserver.ServerTool{Tool: tool("await_answer", "Await an answer", schema.Await, schema.AwaitResult),
			Handler: t.await},
	)
}

// ask is the handler of ask_user_question.
func (t *Tools) ask(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := t.newCall(ctx, req)
	var form wire.Call
	arguments, err := t.fillTemplate(c.arguments(), c.Directory(ctx))
	if err == nil {
		form, err = wire.DecodeAsk(arguments, t.Limits)
	}
	c.dropped, c.noWait = form.Dropped, form.NoWait
	return c.serve(ctx, err, func() ([]*present.Waiter, *mcp.CallToolResult) { return c.ask(ctx, &form) })
}

// confirm is the handler of confirm_action.
func (t *Tools) confirm(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := t.newCall(ctx, req)
	form, err := wire.DecodeConfirm(c.arguments(), t.Limits)
	return c.serve(ctx, err, func() ([]*present.Waiter, *mcp.CallToolResult) { return c.ask(ctx, &form) })
}

// await is the handler of await_answer.
func (t *Tools) await(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := t.newCall(ctx, req)
	ids, noWait, err := wire.DecodeAwait(c.arguments())
	c.noWait = noWait
	return c.serve(ctx, err, func() ([]*present.Waiter, *mcp.CallToolResult) { return c.rejoin(ctx, ids) })
}

// tool returns the description of a tool. It has readOnlyHint: without it hosts ask
// for an approval of every call, and run the calls of one turn one by one. The hints left
// out have their defaults.
func tool(name, title string, input, output json.RawMessage) mcp.Tool {
	yes, no := true, false
	x := mcp.NewToolWithRawSchema(name, texts.Text(name), input)
	x.RawOutputSchema = output
	x.Annotations = mcp.ToolAnnotation{Title: title, ReadOnlyHint: &yes, DestructiveHint: &no}
	x.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/alwaysLoad": true})
	return x
}
