//go:build !unix

package pane

import (
	"context"

	"mcp-askuser/desk"
)

// Check implements ui.Checker.
func (s *surface) Check(ctx context.Context) error { return s.Show(ctx, desk.Record{}, nil) }
