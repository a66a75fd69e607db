package ui

import "context"

// Lock lets one surface at a time use a terminal, a pane or a browser. Others wait in order of arrival.
type Lock chan struct{} // holds a token while it is taken

// NewLock returns a lock that is free.
func NewLock() Lock { return make(Lock, 1) }

// Acquire waits for the lock. The error is the cause of ctx's end.
func (l Lock) Acquire(ctx context.Context) (release func(), err error) {
	select {
	case l <- struct{}{}:
		if ctx.Err() == nil {
			return func() { <-l }, nil
		}
		<-l
	case <-ctx.Done():
	}
	return nil, context.Cause(ctx)
}
