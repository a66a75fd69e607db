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

// maxStreams limits the event streams: other connections are left for requests.
const maxStreams = 400

// streams counts the event streams. While one is open, the desk knows that the page is.
type streams struct {
	desk  *desk.Desk
	limit int

	mu      sync.Mutex
	open    int
	release func() // ends the announcement on the desk
	running sync.WaitGroup
}

// add counts a stream, and announces the page with the first one.
func (x *streams) add() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open >= x.limit {
		return api.Problemf(api.TooManyStreams, "There are %d event streams already.", x.open)
	}
	if x.open == 0 {
		// The announcement outlasts the request of this stream.
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

func (x *streams) remove() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open--; x.open == 0 {
		x.release()
	}
	x.running.Done()
}

// events streams what happens on the desk from now on: a client connects first and
// then requests the questions, so that it misses none. A client that does not take
// an event within the time for a response is disconnected, and loses nothing that it
// cannot request once it connects again.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	if err := s.streams.add(); err != nil {
		return err
	}
	defer s.streams.remove()
	events, err := s.Desk.Watch(r.Context())
	if err != nil {
		return fmt.Errorf("watch the desk: %w", err)
	}
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the time in which to send a request does not end a stream
	w.Header().Set("Content-Type", "text/event-stream")
	written := s.push(w, out, []byte("retry: 1000\n\n"))
	for ev := range events { // until the client disconnects, or the server or the watch ends
		if !written {
			break
		}
		frame, err := api.Frame(api.NewEvent(ev))
		if err != nil {
			s.Log.WarnContext(r.Context(), "leaving out an event", "id", ev.Record.ID, "error", err)
			continue
		}
		written = s.push(w, out, frame)
	}
	return nil
}

// push writes to a stream and reports whether the client takes it.
func (s *Server) push(w http.ResponseWriter, out *http.ResponseController, data []byte) bool {
	_ = out.SetWriteDeadline(time.Now().Add(s.timeouts.response))
	_, err := w.Write(data)
	return err == nil && out.Flush() == nil
}
