//go:build !unix

package pane

import (
	"context"
	"iter"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// Show implements ui.Surface: no program that opens panes is known here.
func (s *surface) Show(context.Context, desk.Record, ui.Commit) error {
	return ui.Unavailablef("panes are not supported on this system")
}

func awaitAsker() bool { return false }

var ancestors iter.Seq[Process]
