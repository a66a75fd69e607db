package ui

import "context"

// Turn lets one at a time have what there is one of: a terminal, a pane, a
// browser. Others wait in the order in which they came.
type Turn chan struct{} // holds a token while somebody has the turn

// NewTurn returns a turn that nobody has.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits for the turn. The error is the cause of ctx's end.
func (t Turn) Take(ctx context.Context) (release func(), err error) {
	select {
	case t <- struct{}{}:
		if ctx.Err() == nil {
			return func() { <-t }, nil
		}
		<-t
	case <-ctx.Done():
	}
	return nil, context.Cause(ctx)
}
