package askuser

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/ui/elicit"
)

// caller is the client behind one call, as that call shows it: in the newer
// protocol era every request says anew who it is from and what it can do.
type caller struct {
	host
	Client
	transport Transport
	forms     bool   // declared form elicitation
	session   string // the host's own id of the dialogue, where it tells
	progress  mcp.ProgressToken
}

func callerOf(ctx context.Context, req mcp.CallToolRequest) caller {
	t := transportOf(ctx)
	c := caller{Client: t.Client(), transport: t}
	can := c.Capabilities
	c.host = hostOf(c.Name)
	// An empty declaration means form mode alone.
	c.forms = can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
	if meta := req.Params.Meta; meta != nil {
		c.progress = meta.ProgressToken
		for _, key := range []string{"threadId", "sessionId"} { // Codex (FACTS 2)
			if id, ok := meta.GetMetaField(key).(string); ok && c.session == "" {
				c.session = id
			}
		}
	}
	return c
}

// asker is what the record keeps of the caller.
func (c *caller) asker() desk.Asker {
	name := c.Name
	if name == "" {
		name = "unknown client"
	}
	return desk.Asker{Client: name, Version: c.Version, Directory: c.transport.Directory(), Via: "mcp"}
}

// showsArrays reports whether the client's form can show a choice of several:
// arrays came with 2025-11-25, and not every host can (FACTS 3).
func (c *caller) showsArrays() bool {
	return c.arrays && c.ProtocolVersion >= mcp.ProtocolVersion20251125
}

// tell sends a progress message, where the client asked for such.
func (c *caller) tell(elapsed time.Duration, message string) error {
	if c.progress == nil {
		return nil
	}
	return c.transport.Notify("notifications/progress", map[string]any{
		"progressToken": c.progress,
		"progress":      int(elapsed.Seconds()),
		"message":       message,
	})
}

// direct puts forms to a client of the older era: a request of ours while its
// call waits.
type direct struct{ Transport }

func (d direct) Elicit(ctx context.Context, params mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	sent := time.Now()
	result, err := d.Transport.Elicit(ctx, params)
	if errors.Is(err, ErrCallEnded) {
		err = elicit.ErrCallEnded
	}
	return result, time.Since(sent), err
}

// arguments returns the arguments of a call as they were sent.
func arguments(req mcp.CallToolRequest) json.RawMessage {
	if raw := req.GetRawArguments(); raw != nil {
		if data, ok := raw.(json.RawMessage); ok && len(data) > 0 {
			return data
		}
		if data, err := json.Marshal(raw); err == nil {
			return data
		}
	}
	return json.RawMessage("{}")
}
