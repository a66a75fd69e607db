package ui

import (
	"context"

	"mcp-askuser/desk"
)

// Elsewhere returns the surface named inbox: it shows the record nowhere by
// itself and leaves it to whoever answers from the desk.
func Elsewhere() Surface { return elsewhere{} }

type elsewhere struct{}

func (elsewhere) Name() string { return "inbox" }

func (elsewhere) Show(ctx context.Context, _ desk.Record, _ Commit) error {
	<-ctx.Done()
	return context.Cause(ctx)
}
