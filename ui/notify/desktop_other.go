//go:build !unix

package notify

import (
	"context"

	"mcp-askuser/ui/api"
)

// desktop returns nil: no way to notify this system's desktop is known here.
func desktop(func(string) string) func(context.Context, *api.Request) error { return nil }
