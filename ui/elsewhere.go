package ui

import (
	"context"

	"mcp-askuser/desk"
)

// Elsewhere returns the surface named inbox: it shows the record nowhere by
// itself and leaves it to whoever answers from the desk.
func Elsewhere() Surface { return elsewhere{} }

// OpenElsewhere is Elsewhere for an inbox or a web page that is open right now.
func OpenElsewhere(d *desk.Desk) Surface { return elsewhere{d} }

type elsewhere struct {
	open *desk.Desk // nil: anybody may come later
}

func (elsewhere) Name() string { return "inbox" }

func (e elsewhere) Show(ctx context.Context, _ desk.Record, _ Commit) error {
	if e.open != nil {
		switch open, err := e.open.Present(ctx); {
		case err != nil:
			return Unavailablef("whether an inbox is open cannot be told: %v", err)
		case len(open) == 0:
			return Unavailablef("no inbox and no web page is open")
		}
	}
	<-ctx.Done()
	return context.Cause(ctx)
}
