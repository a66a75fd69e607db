package ui

import (
	"context"
	"errors"
	"time"

	"mcp-askuser/desk"
)

// Elsewhere returns the surface named inbox: it shows the record nowhere itself,
// and waits for an answer from an inbox or a page.
func Elsewhere() Surface { return &elsewhere{} }

// OpenElsewhere is Elsewhere while an inbox or a web page is open.
func OpenElsewhere(d *desk.Desk) Surface { return &elsewhere{d, 5 * time.Second} }

type elsewhere struct {
	desk *desk.Desk // nil: none need be open
	// interval is the pause between checks that one is open. One that is missing
	// twice in a row was closed, not only reloaded.
	interval time.Duration
}

var errNoneOpen = Unavailablef("no inbox and no web page is open")

func (*elsewhere) Name() string { return "inbox" }

// Check implements Checker.
func (e *elsewhere) Check(ctx context.Context) error { return e.check(ctx, "") }

// check is Check for a record by its id, empty for any.
func (e *elsewhere) check(ctx context.Context, id string) error {
	if e.desk == nil {
		return nil
	}
	open, err := e.desk.Present(ctx, id)
	switch {
	case len(open) > 0:
		return nil
	case err != nil:
		return Unavailablef("whether an inbox is open cannot be told: %v", err)
	}
	return errNoneOpen
}

func (e *elsewhere) Show(ctx context.Context, rec desk.Record, _ Commit) error {
	if e.desk == nil {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	for seen, missing := false, 0; ; {
		err := e.check(ctx, rec.ID)
		if errors.Is(err, errNoneOpen) {
			missing++
		} else { // where that cannot be told it may be open still
			missing = 0
		}
		seen = seen || err == nil
		if err != nil && !seen && ctx.Err() == nil {
			return err
		}
		if missing == 2 {
			return Unavailablef("the inbox or web page was closed")
		}
		select {
		case <-time.After(e.interval):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
