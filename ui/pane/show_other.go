//go:build !unix

package pane

import (
	"context"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// Check implements ui.Checker.
func (s *surface) Check(context.Context) error {
	return ui.Unavailablef("panes are not supported on this system")
}

func (s *surface) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error { return s.Check(ctx) }

// Go shows no pane on this system.
func Go(int) error { return ui.Unavailablef("panes are not supported on this system") }
