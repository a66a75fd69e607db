package web

import (
	"fmt"
	"net/http"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/api"
)

// events streams what happens on the desk from now on. While a page or a front end has a stream
// open, the desk knows that the user sees what is asked; no other program's shows that. A client
// connects first and then requests the questions, so that it misses none. A client that does not
// take an event within the time for a response is disconnected, and loses nothing that it
// cannot request once it connects again.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	from := senderOf(r.Context())
	if from.browser || from.how == desk.HowFrontEnd {
		release, err := s.Desk.Announce(r.Context(), surfaceName)
		if err != nil {
			return fmt.Errorf("announce the page: %w", err)
		}
		defer release()
	}
	if from.browser {
		select {
		case s.visits <- struct{}{}:
		default:
		}
	}
	events, err := s.Desk.Watch(r.Context())
	if err != nil {
		return fmt.Errorf("watch the desk: %w", err)
	}
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the time in which to send a request does not end a stream
	w.Header().Set("Content-Type", "text/event-stream")
	if !s.push(w, out, []byte("retry: 1000\n\n")) {
		return nil
	}
	for ev := range events { // until the client disconnects, or the server or the watch ends
		_, known := s.identify(r)
		if !known { // its visit was ended, or its token removed, since the stream began
			return nil
		}
		frame, err := api.Frame(api.NewEvent(ev))
		if err != nil {
			s.Log.WarnContext(r.Context(), "leaving out an event", "id", ev.Record.ID, "error", err)
			continue
		}
		if !s.push(w, out, frame) {
			return nil
		}
	}
	return nil
}

// push writes to a stream and reports whether the client takes it. The deadline must not outlast the
// write: over HTTP/2 it ends a stream on which nothing is written.
func (s *Server) push(w http.ResponseWriter, out *http.ResponseController, data []byte) bool {
	_ = out.SetWriteDeadline(time.Now().Add(s.timeouts.response))
	_, err := w.Write(data)
	if err != nil || out.Flush() != nil {
		return false
	}
	_ = out.SetWriteDeadline(time.Time{})
	return true
}
