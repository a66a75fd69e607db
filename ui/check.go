package ui

import (
	"context"
)

// Checker is a surface that can tell whether it could reach the human now,
// without showing them anything.
type Checker interface {
	// Check returns nil, or an error that wraps ErrUnavailable and says why not.
	Check(ctx context.Context) error
}

// Check implements Checker.
func (e elsewhere) Check(ctx context.Context) error {
	if e.open == nil {
		return nil
	}
	open, err := e.open.Present(ctx)
	switch {
	case err != nil:
		return Unavailablef("whether an inbox is open cannot be told: %v", err)
	case len(open) == 0:
		return Unavailablef("no inbox and no web page is open")
	}
	return nil
}
