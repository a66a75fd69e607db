package ui

import (
	"context"
	"errors"
	"time"

	"mcp-askuser/desk"
)

// Elsewhere returns the surface named inbox: it shows the record nowhere by
// itself and leaves it to whoever answers from the desk.
func Elsewhere() Surface { return &elsewhere{} }

// OpenElsewhere is Elsewhere for an inbox or a web page that is open right now,
// for as long as one is.
func OpenElsewhere(d *desk.Desk) Surface { return &elsewhere{d, 5 * time.Second} }

type elsewhere struct {
	open *desk.Desk // nil: anybody may come later
	// look is how often it is looked whether one is still open, while it is
	// what shows a question. One that is not there twice in a row has gone, and
	// was not only loaded anew.
	look time.Duration
}

var errNoneOpen = Unavailablef("no inbox and no web page is open")

func (*elsewhere) Name() string { return "inbox" }

// Check implements Checker.
func (e *elsewhere) Check(ctx context.Context) error {
	if e.open == nil {
		return nil
	}
	open, err := e.open.Present(ctx)
	switch {
	case err != nil:
		return Unavailablef("whether an inbox is open cannot be told: %v", err)
	case len(open) == 0:
		return errNoneOpen
	}
	return nil
}

func (e *elsewhere) Show(ctx context.Context, _ desk.Record, _ Commit) error {
	if e.open == nil {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	for seen, missing := false, 0; ; {
		err := e.Check(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			seen, missing = true, 0
		case !seen || !errors.Is(err, errNoneOpen):
			return err
		default:
			if missing++; missing == 2 {
				return Unavailablef("the inbox or web page was closed")
			}
		}
		select {
		case <-time.After(e.look):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
