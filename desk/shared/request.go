package shared

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"mcp-askuser/desk/store"
)

// exchange publishes a request, and returns the first answer to a subject of its own.
func exchange(ctx context.Context, nc *nats.Conn, subject, reply string, data []byte) (*nats.Msg, error) {
	answers, err := nc.SubscribeSync(reply)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }()
	err = nc.PublishRequest(subject, reply, data)
	if err != nil {
		return nil, err
	}
	m, err := answers.NextMsgWithContext(ctx)
	if err == nil && noResponders(m) {
		return nil, nats.ErrNoResponders
	}
	return m, err
}

// noResponders reports whether the server says that no process listens to a subject.
func noResponders(m *nats.Msg) bool { return len(m.Data) == 0 && m.Header.Get("Status") == "503" }

// gather publishes a request, and calls each with the answers, until soon after the last.
func gather(ctx context.Context, nc *nats.Conn, subject, reply string, each func(*nats.Msg)) error {
	answers, err := nc.SubscribeSync(reply)
	if err == nil {
		defer func() { _ = answers.Unsubscribe() }()
		err = nc.PublishRequest(subject, reply, nil)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	}
	for wait := attempt / 2; ; wait = attempt / 8 { // less than a desk has: no process may answer
		within, cancel := context.WithTimeout(ctx, wait)
		m, err := answers.NextMsgWithContext(within)
		cancel()
		if err != nil || noResponders(m) {
			return context.Cause(ctx)
		}
		each(m)
	}
}

// lost ends the requests under way: the client would wait for their timeouts.
func (s *Store) lost(err error) {
	s.log.Info("the connection to the desk was lost", "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range s.inFlight {
		end(nats.ErrDisconnected)
	}
}

// refused ends the requests that the server does not permit: it answers nothing to them, and
// reports an error of the connection.
func (s *Store) refused(err error) {
	found := regexp.MustCompile(`(?i)permissions violation for publish to "([^"]+)"`).FindStringSubmatch(err.Error())
	if found == nil {
		s.log.Warn("the desk reports an error", "error", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for m, end := range s.inFlight {
		if m.Subject == found[1] {
			end(fmt.Errorf("%w: %w", store.ErrDenied, err))
		}
	}
}

// request makes one attempt. After an error that wraps ErrUnreachable the request may have been
// carried out.
func (s *Store) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	nc, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	within, end := context.WithCancelCause(within)
	defer end(nil)
	s.mu.Lock()
	s.inFlight[m] = end
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.inFlight, m)
		s.mu.Unlock()
	}()
	answer, err := nc.RequestMsgWithContext(within, m)
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(context.Cause(within), store.ErrDenied):
		return nil, context.Cause(within)
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, fmt.Errorf("too large for the desk: its nodes take %d bytes", nc.MaxPayload())
	case errors.Is(err, nats.ErrReconnectBufExceeded): // it keeps nothing to send while it has no connection
		err = nats.ErrDisconnected
	}
	return nil, fmt.Errorf("%w: %s: %w", store.ErrUnreachable, s.home, err)
}

// late is the cause of the end of a call, with why its last attempt failed.
func late(cause, why error) error {
	if why == nil || !errors.Is(cause, store.ErrUnreachable) {
		return cause
	}
	return fmt.Errorf("%w: %s", cause, strings.TrimPrefix(why.Error(), store.ErrUnreachable.Error()+": "))
}

// repeat makes attempts until one ends with nil or a definite error, or the limit has passed. Where
// ctx has ended as the desk did not answer in time, the error says why the last attempt failed.
func (s *Store) repeat(ctx context.Context, try func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.active.Add(1)
	defer s.active.Add(-1)
	passed := fmt.Errorf("%w: nothing was definite in %s", store.ErrUnreachable, limit)
	within, cancel := context.WithTimeoutCause(ctx, limit, passed)
	defer cancel()
	why := error(nil)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		err := try(within)
		if ctx.Err() != nil && err != nil {
			return late(context.Cause(ctx), why)
		}
		set := errors.Is(err, errNoStream) || errors.Is(err, nats.ErrSecureConnWanted) // as they are set up
		if !errors.Is(err, store.ErrUnreachable) || set || s.life.Err() != nil {
			return err
		}
		if within.Err() != nil {
			return late(passed, why)
		}
		why = err
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-within.Done():
			return late(context.Cause(within), why)
		}
	}
}
