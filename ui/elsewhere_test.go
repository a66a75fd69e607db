package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
)

// A question that only an inbox shows goes on to the next surface when the
// last inbox is closed, not while the desk does not say whether one is open.
func TestClosedInbox(t *testing.T) {
	store := &desktest.Faulty{Store: desktest.Store(t, t.TempDir())}
	d := desk.New(store, desk.Options{})
	s := OpenElsewhere(d).(*elsewhere)
	s.interval = 100 * time.Millisecond
	if err := s.Show(t.Context(), desk.Record{}, nil); !errors.Is(err, ErrUnavailable) {
		t.Fatalf("without an inbox: %v", err)
	}

	release, err := d.Announce(t.Context(), "inbox")
	fatal.If(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	end := make(chan error, 1)
	go func() { end <- s.Show(ctx, desk.Record{}, nil) }()
	select {
	case err := <-end:
		t.Fatalf("with an inbox: %v", err)
	case <-time.After(3 * s.interval):
	}
	asked := make(chan struct{}, 100)
	store.Before(func(context.Context, desktest.Call) error {
		asked <- struct{}{}
		return desk.ErrUnreachable
	})
	for range 3 {
		select {
		case <-asked:
		case err := <-end:
			t.Fatalf("while the desk does not answer: %v", err)
		}
	}
	store.Before(nil)
	release()
	select {
	case err := <-end:
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("the inbox was closed: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the question stays with an inbox that was closed")
	}

	release, err = d.Announce(t.Context(), "web")
	fatal.If(t, err)
	defer release()
	gone := errors.New("answered")
	cancel(gone)
	if err := s.Show(ctx, desk.Record{}, nil); !errors.Is(err, gone) {
		t.Errorf("the question ended: %v", err)
	}
}
