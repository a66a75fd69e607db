package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"mcp-askuser/desk"
)

// The limits of event streams.
const (
	maxStreams = 400 // at a time; the other connections are left for requests
	maxBehind  = 256 // events that a slow client may be behind before it has to connect anew
)

// broadcast shares one watch of the desk among all event streams. The watch
// runs while there is a stream, and meanwhile this surface counts as open.
type broadcast struct {
	desk *desk.Desk
	log  *slog.Logger
	most int // streams at a time

	mu      sync.Mutex
	streams map[*stream]struct{}
	stop    context.CancelFunc // ends the watch; nil while there is none
	running sync.WaitGroup     // the watches, one at a time but for a moment
}

// stream is one client.
type stream struct {
	frames chan []byte // closed when the client should connect anew
}

func newBroadcast(d *desk.Desk, log *slog.Logger) *broadcast {
	return &broadcast{desk: d, log: log, most: maxStreams, streams: map[*stream]struct{}{}}
}

// join adds a stream. It hears of every event from now on.
func (b *broadcast) join() (*stream, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.streams) >= b.most {
		return nil, problemf(http.StatusServiceUnavailable, codeBusy, "There are %d event streams already.", len(b.streams))
	}
	if b.stop == nil {
		if err := b.start(); err != nil {
			return nil, err
		}
	}
	st := &stream{frames: make(chan []byte, maxBehind)}
	b.streams[st] = struct{}{}
	return st, nil
}

// leave removes a stream, and ends the watch with the last one.
func (b *broadcast) leave(st *stream) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.streams, st)
	if len(b.streams) == 0 && b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

// wait returns when no watch runs any more. The streams have left by then.
func (b *broadcast) wait() { b.running.Wait() }

// start starts the watch. It belongs to all streams, so to no request's
// context.
func (b *broadcast) start() error {
	ctx, stop := context.WithCancel(context.Background())
	events, err := b.desk.Watch(ctx)
	if err != nil {
		stop()
		return fmt.Errorf("watch the desk: %w", err)
	}
	release, err := b.desk.Announce(ctx, surfaceName)
	if err != nil {
		stop()
		return fmt.Errorf("announce the page: %w", err)
	}
	b.stop = stop
	b.running.Go(func() {
		defer release()
		b.run(ctx, events)
	})
	return nil
}

func (b *broadcast) run(ctx context.Context, events <-chan desk.Event) {
	for ev := range events {
		data, err := frame(ev, time.Now())
		if err != nil {
			b.log.WarnContext(ctx, "leaving out an event", "id", ev.Record.ID, "error", err)
			continue
		}
		b.send(data)
	}
	if ctx.Err() == nil {
		b.giveUp(ctx)
	}
}

func (b *broadcast) send(data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for st := range b.streams {
		select {
		case st.frames <- data:
		default:
			close(st.frames)
			delete(b.streams, st)
		}
	}
}

// giveUp ends every stream when the watch has failed: clients that connect
// anew start another.
func (b *broadcast) giveUp(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for st := range b.streams {
		close(st.frames)
	}
	clear(b.streams)
	b.stop()
	b.stop = nil
}

// events is the stream of everything that happens on the desk (B3). What is
// pending already is not told: a client connects first and then asks for the
// questions, so that it misses none.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	st, err := s.stream.join()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer s.stream.leave(st)
	out := http.NewResponseController(w)
	// A stream lasts: the time in which to send a request does not end it.
	_ = out.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	if !s.push(w, out, []byte("retry: 1000\n\n")) {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case data, ok := <-st.frames:
			if !ok || !s.push(w, out, data) {
				return
			}
		}
	}
}

// push writes to a stream and reports whether the client takes it.
func (s *Server) push(w http.ResponseWriter, out *http.ResponseController, data []byte) bool {
	_ = out.SetWriteDeadline(time.Now().Add(s.patience.response))
	if _, err := w.Write(data); err != nil {
		return false
	}
	return out.Flush() == nil
}
