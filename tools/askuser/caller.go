package askuser

import (
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/ui/elicit"
)

// caller is the client behind one call, as that call shows it.
type caller struct {
	host
	client  Client
	session string // the host's own id of the dialogue; empty if unknown
	prompt  string // the host's id of the user's prompt; empty if unknown
	token   mcp.ProgressToken
}

func callerOf(client Client, req mcp.CallToolRequest, remote bool) caller {
	c := caller{host: hostOf(client.Name), client: client}
	if remote {
		c.host = c.overHTTP()
	}
	if meta := req.Params.Meta; meta != nil {
		c.token = meta.ProgressToken
		for _, key := range []string{"threadId", "sessionId"} { // Codex
			if id, ok := meta.GetMetaField(key).(string); ok && c.session == "" {
				c.session = id
			}
		}
		if turn, ok := meta.GetMetaField("x-codex-turn-metadata").(map[string]any); ok {
			c.prompt, _ = turn["turn_id"].(string)
		}
	}
	return c
}

// style returns what the client's form can do. Arrays exist since 2025-11-25, and
// some hosts cannot show them.
func (c *caller) style() elicit.Style {
	s := c.form
	s.Arrays = !s.Line && c.client.ProtocolVersion >= mcp.ProtocolVersion20251125
	return s
}
