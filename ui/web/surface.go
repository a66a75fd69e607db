package web

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// openTime is how long a browser may take to show the page before it counts as
// not opened.
const openTime = 15 * time.Second

// justOpened is how long after a visit a page may take to open its stream.
const justOpened = 10 * time.Second

// SurfaceOptions are what the surface needs beside its server.
type SurfaceOptions struct {
	Options
	// Desktop says why no browser may be opened here, nil where one may; see
	// [Desktop].
	Desktop func() error
	// Open opens the browser; see [OpenBrowser].
	Open func(address string) error
}

// Surface is the surface "web": it starts the page when it is first needed and
// opens a browser on it. While a page is open, of this process or another, it
// opens no other.
type Surface struct {
	options SurfaceOptions
	wait    time.Duration
	turn    ui.Turn // to open a browser

	mu     sync.Mutex
	server *Server // nil until first needed
	addr   net.Addr
	stop   func()    // ends the server and waits for its end
	seen   time.Time // the latest visit that a question waited for
}

// NewSurface returns the surface. It starts nothing before the first Show.
func NewSurface(o SurfaceOptions) *Surface {
	return &Surface{options: o, wait: openTime, turn: ui.NewTurn()}
}

// Name implements ui.Surface.
func (*Surface) Name() string { return surfaceName }

// Check implements ui.Checker.
func (s *Surface) Check(context.Context) error {
	if why := s.options.Desktop(); why != nil {
		return ui.Unavailablef("%v", why)
	}
	return nil
}

// Show implements ui.Surface. The page answers on the desk, so there is
// nothing to commit here; Show stays until the context ends. Where no browser
// may be opened the surface is unavailable; see Telling.
func (s *Surface) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	return telling{s, nil}.Show(ctx, rec, commit)
}

// Telling returns the surface for an asker that can tell the human an address:
// where no browser may be opened, tell gets the page's.
func (s *Surface) Telling(tell func(address string)) ui.Surface { return telling{s, tell} }

type telling struct {
	*Surface
	tell func(address string)
}

func (t telling) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error {
	if err := t.reach(ctx, t.tell); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// reach makes sure that a page is in front of the human.
func (s *Surface) reach(ctx context.Context, tell func(address string)) error {
	release, err := s.turn.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if open, err := s.open(ctx); open || err != nil {
		return err
	}
	why := s.options.Desktop()
	if why != nil && tell == nil {
		return ui.Unavailablef("%v", why)
	}
	server, addr, err := s.start()
	if err != nil {
		return ui.Unavailablef("the page could not be started: %v", err)
	}
	select {
	case <-server.visited: // a visit from before
	default:
	}
	if why != nil {
		tell(server.Invite(addr))
	} else if err := s.options.Open(server.Invite(addr)); err != nil {
		return ui.Unavailablef("no browser could be opened: %v", err)
	}
	select {
	case <-server.visited:
		s.seen = time.Now()
		return nil
	case <-time.After(s.wait):
		return ui.Unavailablef("nobody opened the page within %v", s.wait)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// open reports whether a page is open: one that is connected, or that a human
// has only just opened.
func (s *Surface) open(ctx context.Context) (bool, error) {
	if !s.seen.IsZero() && time.Since(s.seen) < justOpened {
		return true, nil
	}
	names, err := s.options.Desk.Present(ctx)
	if err != nil {
		return false, fmt.Errorf("look for an open page: %w", err)
	}
	return slices.Contains(names, surfaceName), nil
}

// start starts the server, if it does not run yet. It runs until Close.
func (s *Surface) start() (*Server, net.Addr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		return s.server, s.addr, nil
	}
	server, err := New(s.options.Options)
	if err != nil {
		return nil, nil, err
	}
	ln, err := server.Listen(context.Background())
	if err != nil {
		return nil, nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(ctx, ln); err != nil {
			server.Log.Error("the page has gone", "error", err)
		}
	})
	s.server, s.addr, s.stop = server, ln.Addr(), func() { end(); serving.Wait() }
	return s.server, s.addr, nil
}

// Close ends the server, if it was started, and waits for its end.
func (s *Surface) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}
