package ui

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// NobodyError means that no surface reached the human, and why each could not.
// It wraps ErrUnavailable.
type NobodyError struct{ Attempts []desk.Showing }

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
// human, until the record has ended on it or elsewhere. Before it tries one it
// calls on with those tried so far and that one at the end, and once more when
// none is left. A nil return means that the record has
// ended; a *NobodyError that no surface reached the human. Other errors come
// from a surface that gave up with the record still open, or are the cause of
// ctx's end.
func Show(ctx context.Context, d *desk.Desk, rec desk.Record, surfaces []Surface, log *slog.Logger, on func([]desk.Showing)) error {
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

	var tried []desk.Showing
	for _, s := range surfaces {
		now := append(slices.Clone(tried), desk.Showing{Surface: s.Name()})
		on(now)
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
		tried = append(tried, desk.Showing{Surface: s.Name(), Why: err.Error()})
	}
	on(tried)
	return &NobodyError{tried}
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
