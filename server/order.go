package server

import (
	"context"
	"slices"
	"sync"
)

// order is the tool calls of a session in the order of their arrival: those that
// have neither taken their places nor ended. Handlers run side by side and
// overtake each other; what they do in their turn they do in this order.
type order struct {
	mu     sync.Mutex
	places []*place
}

// place is where a call stands in the order.
type place struct {
	open bool          // has joined and not left
	turn chan struct{} // closed when it is the call's turn; nil unless the call waits
}

// join puts p behind all others.
func (o *order) join(p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.open = true
	o.places = append(o.places, p)
}

// wait waits until all before p have left, or p itself does. The error is the
// cause of ctx's end.
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

// leave lets the calls behind p go on, once all before p have left too. To
// leave again changes nothing.
func (o *order) leave(p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !p.open {
		return
	}
	p.open = false
	i := slices.Index(o.places, p)
	o.places = slices.Delete(o.places, i, i+1)
	p.release()
	o.advance()
}

// overtake has p wait only for those before it that wait themselves; the others
// count as gone.
func (o *order) overtake(p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !p.open {
		return
	}
	i := slices.Index(o.places, p)
	waiting := slices.DeleteFunc(o.places[:i], func(q *place) bool {
		q.open = q.turn != nil
		return !q.open
	})
	o.places = append(waiting, o.places[i:]...)
	o.advance()
}

// advance lets the first go on. The lock is held.
func (o *order) advance() {
	if len(o.places) > 0 {
		o.places[0].release()
	}
}

func (p *place) release() {
	if p.turn != nil {
		close(p.turn)
		p.turn = nil
	}
}
