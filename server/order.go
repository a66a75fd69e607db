package server

import (
	"context"
	"sync"
)

// order gives turns to calls in the order in which they joined, independent of the
// order in which their handlers run.
type order struct {
	mu   sync.Mutex
	last chan struct{} // closed when the call that joined last and all before it have left
}

// place is the place of one call in an order. Nil is the place of a call that no other
// waits for.
type place struct {
	turn <-chan struct{} // closed when all earlier calls have left
	left chan struct{}   // closed when this one has, too
	once sync.Once
}

func (o *order) join() *place {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last == nil {
		o.last = make(chan struct{})
		close(o.last)
	}
	p := &place{turn: o.last, left: make(chan struct{})}
	o.last = p.left
	return p
}

// wait waits until all calls that joined earlier have left, or p has overtaken them. The
// error is the cause of ctx's end.
func (p *place) wait(ctx context.Context) error {
	select {
	case <-p.turn:
		return nil
	case <-p.left:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave gives up the place. It may be repeated, as may overtake.
func (p *place) leave() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		go func() {
			<-p.turn
			close(p.left)
		}()
	})
}

// overtake is leave, after which no later call waits for an earlier one.
func (p *place) overtake() {
	p.once.Do(func() { close(p.left) })
}
