package server

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
)

// TestFormClosedAtExit: a client that exits cancels its forms, which is no act of its user. A
// client that stays has closed the form for its user.
func TestFormClosedAtExit(t *testing.T) {
	for name, exits := range map[string]bool{"exits": true, "stays": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 1)
				s := newSession(t, map[string]mcpserver.ToolHandlerFunc{"ask": tool(func(ctx context.Context, k *Call) {
					_, _, err := k.Elicit(ctx, mcp.ElicitationParams{Message: "m", RequestedSchema: json.RawMessage(`{}`)})
					ended <- err
				})})
				s.receive(initialize, newBox())
				s.receive(call("1", "ask"), newBox())
				waittest.Pass(t.Context(), time.Minute)
				s.receive(`{"jsonrpc":"2.0","id":"askuser-1","result":{"action":"cancel"}}`, nil)
				waittest.Pass(t.Context(), 300*time.Millisecond)
				if exits {
					s.end(askuser.ErrDisconnected)
				}
				if err := <-ended; errors.Is(err, ui.ErrCallEnded) != exits || err != nil != exits {
					t.Errorf("the form ended with %v", err)
				}
			})
		})
	}
}
