package home

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mcp-askuser/desk"
)

// awaitFar is reach for a caller that asks. A far home that has never answered has
// no longer than a question may wait; one that has may be choosing a leader, and has
// the time for that. It has it once: while it stays out of reach no other call waits.
func (s *Store) awaitFar(ctx context.Context, call func(context.Context) error) error {
	began := time.Now()
	s.mu.Lock()
	reached, since := s.reached, began
	if !s.outage.ended() {
		since = s.outage.since
	}
	s.mu.Unlock()
	if !reached {
		return s.reach(ctx, placeTimeout, call)
	}
	for until := since.Add(electionTimeout); ; {
		err := s.reach(ctx, time.Until(until), call)
		if !errors.Is(err, desk.ErrUnreachable) || ctx.Err() != nil || !time.Now().Before(until) {
			return err
		}
		within, cancel := context.WithDeadline(ctx, until)
		s.awaitBack(within)
		cancel()
	}
}

// errTimeout is the reason of calls that take longer than the far home may.
var errTimeout = fmt.Errorf("%w in time", desk.ErrUnreachable)

// reach calls the far home with a limit. While it is known to be out of reach it is not
// called: retry does that.
func (s *Store) reach(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.down() {
		return desk.ErrUnreachable
	}
	began := time.Now()
	within, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	err := s.connect(within)
	if err == nil {
		err = call(within)
	}
	switch {
	case errors.Is(err, desk.ErrDenied):
	case errors.Is(err, desk.ErrUnreachable):
		s.markUnreachable(began)
	default:
		s.markReached()
	}
	return err
}

// reacher is a way to call the far home: [Store.awaitFar], or [Store.within] a limit.
type reacher func(ctx context.Context, call func(context.Context) error) error

// within is reach with a limit.
func (s *Store) within(limit time.Duration) reacher {
	return func(ctx context.Context, call func(context.Context) error) error { return s.reach(ctx, limit, call) }
}

// markReached notes that the far home has answered. Other processes may have left
// answers to be sent.
func (s *Store) markReached() {
	s.mu.Lock()
	s.reached = true
	s.mu.Unlock()
	if s.outbox.stale() {
		go s.outbox.drain(s.ctx)
	}
	s.forgetOnce.Do(func() { go s.forgetAsked() })
}

// connect returns an error where the far home has had no connection for placeTimeout.
// One that is connected may take longer, as when its nodes choose a leader.
func (s *Store) connect(ctx context.Context) error {
	for began := time.Now(); ; {
		err := s.far.MayAnswer(ctx, "")
		if !errors.Is(err, desk.ErrUnreachable) {
			return nil // a caller that answers learns whether it may
		}
		if time.Since(began) > placeTimeout {
			return err
		}
		select {
		case <-time.After(retryInterval / 10):
		case <-ctx.Done():
			return err
		}
	}
}

// markUnreachable begins an outage, and tries the far home until it answers. The call
// that found it out of reach began at the given time.
func (s *Store) markUnreachable(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.outage.ended() {
		return
	}
	s.outage = &outage{began, make(chan struct{})}
	s.log.Warn("the desk cannot be reached: its questions are left out, or shown as they were last seen")
	go s.retry(s.outage)
}

// retry tries the far home until it answers: more often while its nodes may be choosing
// a leader, as a request that was sent before there is one gets no answer.
func (s *Store) retry(o *outage) {
	for {
		limit, pause := placeTimeout, retryInterval
		if time.Since(o.since) < electionTimeout {
			limit, pause = placeTimeout/2, retryInterval/4
		}
		within, cancel := context.WithTimeout(s.ctx, limit)
		err := s.far.Ping(within)
		cancel()
		if err == nil {
			break
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // jitter: not all machines at once
		case <-s.ctx.Done():
			return
		}
	}
	s.mu.Lock()
	close(o.done)
	s.reached = true
	s.mu.Unlock()
	s.log.Info("the desk answers again")
	s.notify(desk.Change{})
	s.outbox.drain(s.ctx)
}

// outage is a time in which the far home does not answer.
type outage struct {
	since time.Time     // when the call began that found it out of reach
	done  chan struct{} // closed when it answers again
}

// ended reports whether there is no outage, or no more.
func (o *outage) ended() bool {
	if o == nil {
		return true
	}
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

func (s *Store) lastOutage() *outage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outage
}

// down reports whether the far home is known to be out of reach.
func (s *Store) down() bool { return !s.lastOutage().ended() }

// awaitBack returns when the far home may be there again; false if ctx ends.
func (s *Store) awaitBack(ctx context.Context) bool {
	var again <-chan struct{}
	var soon <-chan time.Time
	if o := s.lastOutage(); o.ended() {
		soon = time.After(retryInterval)
	} else {
		again = o.done
	}
	select {
	case <-again:
	case <-soon:
	case <-s.ctx.Done():
		return false
	case <-ctx.Done():
		return false
	}
	return true
}
