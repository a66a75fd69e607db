package ui

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Attempt is one surface that did not reach the human, and why.
type Attempt struct {
	Surface string `json:"surface"`
	Why     string `json:"why"`
}

// NobodyError means that no surface reached the human. It wraps
// ErrUnavailable.
type NobodyError struct{ Attempts []Attempt }

func (e *NobodyError) Error() string {
	if len(e.Attempts) == 0 {
		return "no surface to ask on"
	}
	parts := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		parts[i] = a.Surface + ": " + a.Why
	}
	return strings.Join(parts, "; ")
}

// Is makes a NobodyError an ErrUnavailable.
func (e *NobodyError) Is(target error) bool { return target == ErrUnavailable }

// Show tries the surfaces in order and stays with the first that reaches the
// human, until the record has ended on it or elsewhere. It calls on with each
// surface's name before trying it. A nil return means that the record has
// ended; a *NobodyError that no surface reached the human. Other errors come
// from a surface that gave up with the record still open, or are the cause of
// ctx's end.
func Show(ctx context.Context, d *desk.Desk, rec desk.Record, surfaces []Surface, log *slog.Logger, on func(name string)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var own ownReply
	var watching sync.WaitGroup
	watching.Go(func() {
		ended, err := d.Wait(ctx, rec.ID)
		if err == nil && !own.sent() {
			cancel(&desk.ClosedError{ID: rec.ID, Outcome: *ended.Outcome})
		}
	})
	defer watching.Wait()
	defer cancel(nil)

	var nobody NobodyError
	for _, s := range surfaces {
		on(s.Name())
		err := s.Show(ctx, rec, func(r question.Reply) error {
			return own.send(func() error {
				_, err := d.Reply(ctx, rec.ID, r, s.Name())
				return err
			})
		})
		var closed *desk.ClosedError
		switch {
		case err == nil || errors.As(err, &closed):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(err, ErrUnavailable):
			return err
		}
		log.InfoContext(ctx, "surface not available", "id", rec.ID, "surface", s.Name(), "why", err)
		nobody.Attempts = append(nobody.Attempts, Attempt{s.Name(), err.Error()})
	}
	return &nobody
}

// ownReply keeps a surface's own reply from withdrawing the surface: while one
// is being sent, and after one was, the end of the record is no news to it.
type ownReply struct {
	mu   sync.Mutex
	done bool
}

func (o *ownReply) send(reply func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := reply()
	o.done = o.done || err == nil
	return err
}

func (o *ownReply) sent() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done
}
