package ui

import "context"

// Turn lets one surface at a time use a terminal, a pane or a browser. Others wait
// in the order of arrival.
type Turn chan struct{} // holds a token while it is taken

// NewTurn returns a turn that is free.
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
