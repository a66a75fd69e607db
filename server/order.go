package server

import (
	"context"
	"slices"
	"sync"
)

// order gives turns to calls in the order in which they joined, independent of the
// order in which their handlers run. A call has its turn when all earlier calls
// have left.
type order struct {
	mu     sync.Mutex
	places []*place
}

// place is the place of one call in an order.
type place struct {
	open bool          // has joined and not left
	turn chan struct{} // closed when the call has its turn; nil unless it waits
}

func (o *order) join(p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.open = true
	o.places = append(o.places, p)
}

// wait waits until p has its turn, or leaves. The error is the cause of ctx's
// end.
func (o *order) wait(ctx context.Context, p *place) error {
	o.mu.Lock()
	if !p.open || p == o.places[0] {
		o.mu.Unlock()
		return nil
	}
	if p.turn == nil {
		p.turn = make(chan struct{})
	}
	turn := p.turn
	o.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave removes p from the order. It may be repeated.
func (o *order) leave(p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p.open {
		p.open = false
		p.release()
		i := slices.Index(o.places, p)
		o.places = slices.Delete(o.places, i, i+1)
		o.advance()
	}
}

// overtake removes the places before p that do not wait for their turn.
func (o *order) overtake(p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.places, p); i > 0 {
		waiting := slices.DeleteFunc(o.places[:i], func(q *place) bool {
			q.open = q.turn != nil
			return !q.open
		})
		o.places = append(waiting, o.places[i:]...)
		o.advance()
	}
}

// advance gives the first place its turn. Callers must hold o.mu.
func (o *order) advance() {
	if len(o.places) > 0 {
		o.places[0].release()
	}
}

// release ends the wait of a call. Callers must hold the order's mu.
func (p *place) release() {
	if p.turn != nil {
		close(p.turn)
		p.turn = nil
	}
}
