package server

import (
	"context"
	"sync"
)

// order is the tool calls of a session in the order of their arrival, from the
// earliest that has neither taken its place nor ended. Handlers run side
// by side and overtake each other; what they do in their turn they do in this
// order.
type order struct {
	mu          sync.Mutex
	first, last *place
}

// place is where a call stands in the order.
type place struct {
	open bool // has joined and not left
	next *place
	turn chan struct{} // closed when it is the call's turn; nil unless the call waits
}

// join puts p behind all others.
func (o *order) join(p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.open = true
	if o.first == nil {
		o.first = p
	} else {
		o.last.next = p
	}
	o.last = p
}

// wait waits until all before p have left, or p itself does. The error is the
// cause of ctx's end.
func (o *order) wait(ctx context.Context, p *place) error {
	o.mu.Lock()
	if !p.open || p == o.first {
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
	p.open = false
	p.release()
	o.advance()
}

// overtake has p wait only for those before it that wait themselves; the others
// count as gone.
func (o *order) overtake(p *place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for q := o.first; p.open && q != p; q = q.next {
		q.open = q.turn != nil
	}
	o.advance()
}

// advance lets the first go on that has not left. The lock is held.
func (o *order) advance() {
	for o.first != nil && !o.first.open {
		gone := o.first
		o.first, gone.next = gone.next, nil // or a call that waits would hold on to all later ones
	}
	if o.first != nil {
		o.first.release()
	}
}

func (p *place) release() {
	if p.turn != nil {
		close(p.turn)
		p.turn = nil
	}
}
