package desk

import (
	"context"
	"sync"
)

// maxQueue is the most changes that are queued for a slow watcher. With more, the watcher
// reads everything again.
const maxQueue = 256

// hub is the one watch of the store in this process. It hands each change to the
// listeners that it concerns, with the record, which the first that needs it reads for
// all. The watch runs while there is a listener.
type hub struct {
	desk *Desk

	mu        sync.Mutex
	listeners map[*listener]struct{}
	stop      context.CancelFunc // ends the watch; nil while there is none
	failed    bool               // the last watch did
}

// listener waits for a record, or watches the desk. The hub's mu guards queue and err.
type listener struct {
	id    string        // of the record; empty for one that watches the desk
	wake  chan struct{} // one token when there is something new; closed on err
	queue []update
	err   error
}

// update is a change of the store, and the record that it concerns.
type update struct {
	Change
	record func() (Record, error)
}

// listen wakes the caller whenever the record with this id, or any for an empty id, may
// have changed after it returned.
func (h *hub) listen(id string) (*listener, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop == nil {
		// The watch belongs to all listeners, so to no listener's context.
		ctx, stop := context.WithCancel(context.Background())
		changes, err := h.desk.store.Watch(ctx)
		if err != nil {
			stop()
			return nil, err
		}
		h.stop = stop
		if h.failed {
			h.desk.announceAgain(ctx)
		}
		h.failed = false
		go h.run(ctx, changes)
	}
	l := &listener{id: id, wake: make(chan struct{}, 1)}
	h.listeners[l] = struct{}{}
	return l, nil
}

// leave ends l, and the watch when l was the last.
func (h *hub) leave(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
	if len(h.listeners) == 0 && h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// take returns the updates since the last call.
func (h *hub) take(l *listener) ([]update, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	updates := l.queue
	l.queue = nil
	return updates, l.err
}

// bell is [Store.Bell] for a store that has none.
func (h *hub) bell(ctx context.Context, id string, look func() bool) error {
	l, err := h.listen(id)
	if err != nil {
		return err
	}
	defer h.leave(l)
	for !look() {
		select {
		case <-l.wake:
			if _, err := h.take(l); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (h *hub) run(ctx context.Context, changes <-chan Change) {
	for {
		for c := range changes {
			if c.Err != nil {
				h.desk.log.WarnContext(ctx, "file notification", "error", c.Err)
			}
			h.notify(ctx, c)
		}
		if ctx.Err() != nil {
			return
		}
		// What was watched is gone, a store that was deleted or moved away: watch
		// what is there now, and have every listener look again.
		var err error
		if changes, err = h.desk.store.Watch(ctx); err != nil {
			h.fail(ctx, err)
			return
		}
		h.desk.announceAgain(ctx)
		h.notify(ctx, Change{})
	}
}

// notify wakes the listeners that a change concerns, unless the watch was given up
// meanwhile: who listens by then has another.
func (h *hub) notify(ctx context.Context, c Change) {
	u := update{c, sync.OnceValues(func() (Record, error) { return h.desk.Get(ctx, c.ID) })}
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for l := range h.listeners {
		if l.id != "" && c.ID != "" && l.id != c.ID {
			continue
		}
		if len(l.queue) == maxQueue {
			l.queue = []update{{}}
		}
		l.queue = append(l.queue, u)
		select {
		case l.wake <- struct{}{}:
		default: // it has a token already
		}
	}
}

// fail ends every listener, unless the watch was given up meanwhile.
func (h *hub) fail(ctx context.Context, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for l := range h.listeners {
		l.err = err
		close(l.wake)
	}
	clear(h.listeners)
	h.stop()
	h.stop, h.failed = nil, true
}
