package desk

import (
	"context"
	"maps"
	"sync"
)

// maxQueue is how many events a slow watcher may fall behind before it is told
// to look at everything instead.
const maxQueue = 256

// hub is the one watch of the store in this process. It turns each change into
// an event, with the record read once, and hands it to all who watch the desk;
// and it wakes those who wait where the store has no bells. The watch runs
// while somebody listens.
type hub struct {
	desk *Desk

	telling sync.Mutex // held while a change becomes an event; taken before mu
	open    openSet    // as the events tell; nil while nobody watches the desk

	mu        sync.Mutex
	listeners map[*listener]struct{}
	stop      context.CancelFunc // ends the watch; nil while there is none
	failed    bool               // the last watch did
}

// listener is one who waits for a record, or watches the desk. The hub's mu
// guards what follows wake.
type listener struct {
	id     string        // of the record; empty for one who watches the desk
	wake   chan struct{} // one token when there is something new; closed on err
	queue  []Event
	behind bool // events were dropped before those in the queue
	err    error
}

// listen wakes the caller whenever something may have happened to the record
// with this id, after it returned.
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

// bell is [Store.Bell] where a store has none: it rings with the watch of
// everything that all of this process share.
func (h *hub) bell(ctx context.Context, id string, look func() bool) error {
	l, err := h.listen(id)
	if err != nil {
		return err
	}
	defer h.leave(l)
	for !look() {
		select {
		case <-l.wake:
			if _, _, err := h.news(l); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// join is listen for one who watches the desk. It returns the records that are
// open now: what happens from now on to these, and others, comes as events.
func (h *hub) join(ctx context.Context) (*listener, openSet, error) {
	l, err := h.listen("")
	if err != nil {
		return nil, nil, err
	}
	h.telling.Lock()
	open, err := h.desk.undecided(ctx)
	if err == nil && h.open == nil {
		h.open = maps.Clone(open)
	}
	h.telling.Unlock()
	if err != nil {
		h.leave(l)
		return nil, nil, err
	}
	return l, open, nil
}

// leave ends l, and the watch when l was the last.
func (h *hub) leave(l *listener) {
	h.telling.Lock()
	defer h.telling.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
	watched := false
	for other := range h.listeners {
		watched = watched || other.id == ""
	}
	if !watched {
		h.open = nil
	}
	if len(h.listeners) == 0 && h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// news returns what happened since the last call, and whether that is not all.
func (h *hub) news(l *listener) (events []Event, behind bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	events, behind = l.queue, l.behind
	l.queue, l.behind = nil, false
	return events, behind, l.err
}

func (h *hub) run(ctx context.Context, changes <-chan Change) {
	for {
		var err error
		for c := range changes {
			if err = h.tell(ctx, c); err != nil {
				break
			}
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			// What was watched is gone, a store that was deleted or moved away:
			// watch what is there now, and let everybody look again.
			changes, err = h.desk.store.Watch(ctx)
		}
		if err == nil {
			h.desk.announceAgain(ctx)
			err = h.tell(ctx, Change{})
		}
		if err != nil {
			h.fail(ctx, err)
			return
		}
	}
}

// tell wakes those who wait for the record, and hands the events that a change
// amounts to, none or one or after a gap many, to those who watch the desk.
func (h *hub) tell(ctx context.Context, c Change) error {
	if c.Err != nil {
		h.desk.log.WarnContext(ctx, "file notification", "error", c.Err)
	}
	h.rouse(func(l *listener) bool { return l.id != "" && (c.ID == "" || c.ID == l.id) })
	h.telling.Lock()
	defer h.telling.Unlock()
	if h.open == nil {
		return nil
	}
	events, err := h.desk.eventsOf(ctx, c, h.open)
	for _, ev := range events {
		if h.open.admit(ev) {
			h.rouse(func(l *listener) bool { return l.take(ev) })
		}
	}
	return err
}

// take queues an event for one who watches the desk. One who is slow holds up
// nobody: it loses what it has not looked at.
func (l *listener) take(ev Event) bool {
	if l.id != "" {
		return false
	}
	if len(l.queue) == maxQueue {
		l.queue, l.behind = nil, true
	}
	l.queue = append(l.queue, ev)
	return true
}

// rouse wakes the listeners that a change concerns.
func (h *hub) rouse(concerned func(*listener) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		if !concerned(l) {
			continue
		}
		select {
		case l.wake <- struct{}{}:
		default: // has not come round to the last one yet
		}
	}
}

// fail ends every listener, unless the watch was given up meanwhile.
func (h *hub) fail(ctx context.Context, err error) {
	h.telling.Lock()
	defer h.telling.Unlock()
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
	h.open = nil
	h.stop()
	h.stop, h.failed = nil, true
}
