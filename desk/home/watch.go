package home

import (
	"context"
	"errors"
	"time"

	"mcp-askuser/desk"
)

// Bell implements desk.Store.
func (s *Store) Bell(ctx context.Context, id string, look func() bool) error {
	near, err := s.isNear(ctx, id)
	switch {
	case err != nil:
		return err
	case near:
		return s.near.Bell(ctx, id, look)
	}
	for {
		err := s.hangBell(ctx, id, look)
		switch {
		case ctx.Err() == nil && errors.Is(err, errReachable):
			select { // a look that fails at once does not spin
			case <-time.After(retryInterval / 10):
			case <-ctx.Done():
			}
			continue
		case err == nil, ctx.Err() != nil, !errors.Is(err, desk.ErrUnreachable):
			return err
		}
		s.markUnreachable(time.Now())
		if !s.awaitBack(ctx) {
			return context.Cause(ctx)
		}
	}
}

// errReachable ends a bell because the far home answers again.
var errReachable = errors.New("the desk answers again")

// hangBell is Bell of the far home. A look that finds it out of reach misses an outcome
// that has just rung: errReachable ends the bell, for another look, when it answers again.
func (s *Store) hangBell(ctx context.Context, id string, look func() bool) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	missed := false
	return s.far.Bell(within, id, func() bool {
		before := s.lastOutage()
		ended := look()
		o := s.lastOutage()
		if !ended && !missed && (o != before || !o.ended()) {
			missed = true
			go func() {
				select {
				case <-o.done:
					cancel(errReachable)
				case <-within.Done():
				}
			}()
		}
		return ended
	})
}

// Watch implements desk.Store. When the far home comes into reach, the zero change says
// that anything may have happened.
func (s *Store) Watch(ctx context.Context) (<-chan desk.Change, error) {
	here, err := s.near.Watch(ctx)
	if err != nil {
		return nil, err
	}
	within, stop := context.WithCancel(ctx)
	var there <-chan desk.Change
	begin := func(ctx context.Context) (err error) { there, err = s.far.Watch(within); return err }
	err = s.reach(within, readTimeout, begin)
	denied := errors.Is(err, desk.ErrDenied)
	w := &watch{s: s, ctx: within, out: make(chan desk.Change), here: here, there: there, retry: make(chan (<-chan desk.Change))}
	go func() {
		defer close(w.out)
		defer stop()
		if denied && !w.send(desk.Change{Err: err}) {
			return
		}
		if there == nil && !denied {
			w.reconnect()
		}
		for w.next() {
		}
	}()
	return w.out, nil
}

// watch is one of both homes, until ctx ends or the near one does.
type watch struct {
	s           *Store
	ctx         context.Context
	out         chan desk.Change
	here, there <-chan desk.Change
	retry       chan (<-chan desk.Change)
	missed      []desk.Change // changes that arrived while nothing could be read
}

// send hands out changes. It is false when the watch has ended.
func (w *watch) send(changes ...desk.Change) bool {
	for _, c := range changes {
		if !desk.SendChange(w.ctx, w.out, c) {
			return false
		}
	}
	return true
}

func (w *watch) reconnect() { go w.s.watchAgain(w.ctx, w.retry) }

// next hands out the next change. It is false when the watch has ended.
func (w *watch) next() bool {
	select {
	case c, ok := <-w.here:
		return ok && w.send(c) // if the directory was removed the caller watches again
	case c, ok := <-w.there:
		if !ok {
			w.there = nil
			w.reconnect()
			return true
		}
		if w.s.down() {
			w.missed = append(w.missed, c)
		}
		return w.send(c)
	case c := <-w.s.changes:
		if c.ID != "" {
			return w.send(c)
		}
		all := w.missed // the desk is back
		w.missed = nil
		return w.send(all...)
	case w.there = <-w.retry:
		return w.send(desk.Change{})
	}
}

// watchAgain hands out a watch of the far home once that answers; none where it is
// denied.
func (s *Store) watchAgain(ctx context.Context, watches chan<- (<-chan desk.Change)) {
	for s.awaitBack(ctx) {
		changes, err := s.far.Watch(ctx)
		switch {
		case err == nil:
			select {
			case watches <- changes:
			case <-ctx.Done():
			}
			return
		case errors.Is(err, desk.ErrDenied):
			return
		}
		s.markUnreachable(time.Now())
	}
}
