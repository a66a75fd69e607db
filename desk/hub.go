package desk

import (
	"context"
	"log/slog"
	"sync"
)

// maxQueue is how many changes a slow listener may fall behind before it is
// told to look at everything instead.
const maxQueue = 1024

// hub shares one watch of the store among all who watch the desk in this
// process, and who wait where the store has no bells. The watch runs while
// somebody listens.
type hub struct {
	store Store
	log   *slog.Logger

	mu   sync.Mutex
	subs map[string]map[*subscription]struct{} // by record id; "" hears of every record
	stop context.CancelFunc                    // ends the watch; nil while there is none
}

// subscription is one listener. The hub's lock guards queue and err.
type subscription struct {
	id    string
	wake  chan struct{} // one token when there is something in the queue; closed on err
	queue []Change
	err   error
}

// subscribe listens to the changes of one record, or of all if id is empty.
// Every change made after it returned is heard.
func (h *hub) subscribe(id string) (*subscription, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop == nil {
		// The watch belongs to all listeners, so to no listener's context.
		ctx, stop := context.WithCancel(context.Background())
		changes, err := h.store.Watch(ctx)
		if err != nil {
			stop()
			return nil, err
		}
		h.stop = stop
		go h.run(ctx, changes)
	}
	s := &subscription{id: id, wake: make(chan struct{}, 1)}
	if h.subs[id] == nil {
		h.subs[id] = map[*subscription]struct{}{}
	}
	h.subs[id][s] = struct{}{}
	return s, nil
}

// unsubscribe ends s, and the watch when s was the last.
func (h *hub) unsubscribe(s *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subs[s.id], s)
	if len(h.subs[s.id]) == 0 {
		delete(h.subs, s.id)
	}
	if len(h.subs) == 0 && h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// take returns what happened since the last call.
func (h *hub) take(s *subscription) ([]Change, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	queue := s.queue
	s.queue = nil
	return queue, s.err
}

func (h *hub) run(ctx context.Context, changes <-chan Change) {
	for {
		for c := range changes {
			h.dispatch(c)
		}
		if ctx.Err() != nil {
			return
		}
		// What was watched is gone, a store that was deleted or moved away:
		// watch what is there now, and let everybody look again.
		var err error
		if changes, err = h.store.Watch(ctx); err != nil {
			h.fail(ctx, err)
			return
		}
		h.dispatch(Change{})
	}
}

func (h *hub) dispatch(c Change) {
	if c.Err != nil {
		h.log.Warn("file notification", "error", c.Err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.ID == "" {
		for _, subs := range h.subs {
			send(subs, c)
		}
		return
	}
	send(h.subs[c.ID], c)
	send(h.subs[""], c)
}

func send(subs map[*subscription]struct{}, c Change) {
	for s := range subs {
		if s.queue = append(s.queue, c); len(s.queue) > maxQueue {
			s.queue = []Change{{}}
		}
		select {
		case s.wake <- struct{}{}:
		default: // has not come round to the last one yet
		}
	}
}

// fail ends every subscription, unless the watch was given up meanwhile.
func (h *hub) fail(ctx context.Context, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for _, subs := range h.subs {
		for s := range subs {
			s.err = err
			close(s.wake)
		}
	}
	clear(h.subs)
	h.stop()
	h.stop = nil
}
