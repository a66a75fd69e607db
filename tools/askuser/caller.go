package askuser

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/ui/elicit"
)

// caller is the client behind one call, as that call shows it: in the newer
// protocol era every request says anew who it is from and what it can do.
type caller struct {
	host
	client   mcp.Implementation
	version  string // protocol version
	modern   bool   // asks are round trips of the call, not requests of ours
	forms    bool   // declared form elicitation
	session  string // the host's own id of the dialogue, where it tells
	progress mcp.ProgressToken
	conn     mcpserver.ClientSession
}

// notifier is the transport's way to send what belongs to one call; it drops
// what comes after the call's response.
type notifier interface {
	Notify(ctx context.Context, method string, params any) error
}

// deliverer is the transport's way to say whether a call's response reached
// the client.
type deliverer interface {
	Delivered(ctx context.Context, f func(written bool)) error
}

func callerOf(ctx context.Context, req mcp.CallToolRequest) caller {
	c := caller{conn: mcpserver.ClientSessionFromContext(ctx), version: mcpserver.RequestProtocolVersion(ctx), modern: mcpserver.IsModernRequest(ctx)}
	var can mcp.ClientCapabilities
	if known, ok := c.conn.(mcpserver.SessionWithClientInfo); ok {
		c.client, can = known.GetClientInfo(), known.GetClientCapabilities()
	}
	if info := mcpserver.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientInfo != nil {
			c.client = *info.ClientInfo
		}
		can = mcp.ClientCapabilities{}
		if info.ClientCapabilities != nil {
			can = *info.ClientCapabilities
		}
	}
	c.host = hostOf(c.client.Name)
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
func (c *caller) asker(directory string) desk.Asker {
	name := c.client.Name
	if name == "" {
		name = "unknown client"
	}
	return desk.Asker{Client: name, Version: c.client.Version, Directory: directory, Via: "mcp"}
}

// showsArrays reports whether the client's form can show a choice of several:
// arrays came with 2025-11-25, and not every host can (FACTS 3).
func (c *caller) showsArrays() bool {
	return c.arrays && c.version >= mcp.ProtocolVersion20251125
}

// tell sends a progress message, where the client asked for such.
func (c *caller) tell(ctx context.Context, elapsed time.Duration, message string) error {
	to, ok := c.conn.(notifier)
	if !ok || c.progress == nil {
		return nil
	}
	return to.Notify(ctx, "notifications/progress", map[string]any{
		"progressToken": c.progress,
		"progress":      int(elapsed.Seconds()),
		"message":       message,
	})
}

// delivered has f told whether the response of this call was written. Over a
// transport that cannot tell, it counts as written.
func (c *caller) delivered(ctx context.Context, f func(written bool)) {
	if to, ok := c.conn.(deliverer); ok && to.Delivered(ctx, f) == nil {
		return
	}
	f(true)
}

// direct puts forms to a client of the older era: a request of ours while its
// call waits.
type direct struct {
	call context.Context
	conn mcpserver.SessionWithElicitation
}

func (d direct) Elicit(ctx context.Context, params mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	// The request goes with the call's context, which knows the connection,
	// and ends with either.
	both, cancel := context.WithCancelCause(d.call)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	sent := time.Now()
	result, err := d.conn.RequestElicitation(both, mcp.ElicitationRequest{Params: params})
	if err != nil && d.call.Err() != nil {
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
