package web

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// openTime is how long a browser may take to show the page, whose event stream says that it does.
const openTime = 15 * time.Second

// SurfaceOptions are what the surface needs beside its server.
type SurfaceOptions struct {
	Options
	// Desktop returns why no browser may be opened here, nil where one may; see [ui.Desktop].
	Desktop func() error
	// Open opens the browser; see [OpenBrowser].
	Open func(address string) error
}

// Surface is the surface "web": it starts the page when it is first needed and
// opens a browser on it. While a page is open, of this process or another, it
// opens no other.
type Surface struct {
	options SurfaceOptions
	wait    time.Duration // for a browser
	lock    ui.Lock       // to open a browser

	mu     sync.Mutex
	server *Server // nil until first needed
	stop   func()  // ends the server and waits for its end
}

// NewSurface returns the surface. It starts nothing before the first Show.
func NewSurface(o SurfaceOptions) *Surface {
	return &Surface{options: o, wait: openTime, lock: ui.NewLock()}
}

// Name implements ui.Surface.
func (*Surface) Name() string { return surfaceName }

// Check implements ui.Checker.
func (s *Surface) Check(context.Context) error {
	why := s.options.Desktop()
	if why == nil {
		return nil
	}
	return ui.Unavailablef("%v", why)
}

// Show implements ui.Surface. The page answers on the desk, so there is
// nothing to commit here; Show returns when the context ends. Where no browser
// may be opened the surface is unavailable.
func (s *Surface) Show(ctx context.Context, rec desk.Record, _ ui.Commit) error {
	err := s.ensureOpen(ctx, rec.ID)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// ensureOpen returns once the user has the page open, with a record.
func (s *Surface) ensureOpen(ctx context.Context, id string) error {
	release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	names, err := s.options.Desk.Present(ctx, id)
	if err != nil && !errors.Is(err, desk.ErrUnreachable) {
		return ui.Unavailablef("whether a page is open cannot be told: %v", err)
	}
	if slices.Contains(names, surfaceName) {
		return nil
	}
	err = s.Check(ctx)
	if err != nil {
		return err
	}
	server, err := s.start()
	if err != nil {
		return ui.Unavailablef("the page could not be started: %v", err)
	}
	select {
	case <-server.visits: // an earlier visit
	default:
	}
	err = s.options.Open(server.Invite())
	if err != nil {
		return ui.Unavailablef("no browser could be opened: %v", err)
	}
	select {
	case <-server.visits:
		return nil
	case <-time.After(s.wait):
		return ui.Unavailablef("nobody opened the page within %v", s.wait)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// start starts the server, if it does not run yet. It runs until Close.
func (s *Surface) start() (*Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		return s.server, nil
	}
	server, err := Listen(context.Background(), s.options.Options)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		err := server.Serve(ctx)
		if err != nil {
			server.Log.Error("the page's server failed", "error", err)
		}
	})
	s.server, s.stop = server, func() { end(); serving.Wait() }
	return server, nil
}

// Close ends the server, if it was started, and waits for its end.
func (s *Surface) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}
