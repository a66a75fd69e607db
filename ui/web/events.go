package web

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/api"
)

// maxStreams is how many event streams there are at a time. The other
// connections are left for requests.
const maxStreams = 400

// streams counts the event streams. While there is one this surface counts as
// open.
type streams struct {
	desk *desk.Desk
	most int

	mu      sync.Mutex
	open    int
	release func() // takes the announcement back; set while there is a stream
	running sync.WaitGroup
}

// join counts a stream in, and announces the page with the first one.
func (x *streams) join() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open >= x.most {
		return api.Problemf(api.TooManyStreams, "There are %d event streams already.", x.open)
	}
	if x.open == 0 {
		// The announcement belongs to all streams, so to no request's context.
		release, err := x.desk.Announce(context.Background(), surfaceName)
		if err != nil {
			return fmt.Errorf("announce the page: %w", err)
		}
		x.release = release
	}
	x.open++
	x.running.Add(1)
	return nil
}

func (x *streams) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open--; x.open == 0 {
		x.release()
	}
	x.running.Done()
}

// events is the stream of everything that happens on the desk. What is
// pending already is not told: a client connects first and then asks for the
// questions, so that it misses none. A client that does not take an event
// within the time for a response is dropped; one that connects anew has lost
// nothing that it cannot ask for.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	if err := s.streams.join(); err != nil {
		return err
	}
	defer s.streams.leave()
	happened, err := s.Desk.Watch(r.Context())
	if err != nil {
		return fmt.Errorf("watch the desk: %w", err)
	}
	out := http.NewResponseController(w)
	// A stream lasts: the time in which to send a request does not end it.
	_ = out.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	taken := s.push(w, out, []byte("retry: 1000\n\n"))
	for ev := range happened { // until the client or the server goes, or the watch fails
		if !taken {
			break
		}
		frame, err := api.Frame(api.NewEvent(ev))
		if err != nil {
			s.Log.WarnContext(r.Context(), "leaving out an event", "id", ev.Record.ID, "error", err)
			continue
		}
		taken = s.push(w, out, frame)
	}
	return nil
}

// push writes to a stream and reports whether the client takes it.
func (s *Server) push(w http.ResponseWriter, out *http.ResponseController, data []byte) bool {
	_ = out.SetWriteDeadline(time.Now().Add(s.patience.response))
	if _, err := w.Write(data); err != nil {
		return false
	}
	return out.Flush() == nil
}
