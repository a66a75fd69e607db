package http

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// wheel has all open streams say together that they are alive: one timer, and
// one moment in which the process wakes. It rests while there are none.
type wheel struct {
	every time.Duration

	mu      sync.Mutex
	streams map[*stream]struct{}
	timer   *time.Timer
}

// join has a stream beat until it leaves.
func (h *wheel) join(st *stream) (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.streams) == 0 {
		h.streams = map[*stream]struct{}{}
		h.timer = time.AfterFunc(h.every, h.turn)
	}
	h.streams[st] = struct{}{}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if delete(h.streams, st); len(h.streams) == 0 {
			h.timer.Stop()
		}
	}
}

// end closes all streams.
func (h *wheel) end() {
	h.mu.Lock()
	all := slices.Collect(maps.Keys(h.streams))
	h.mu.Unlock()
	for _, st := range all {
		st.close()
	}
}

func (h *wheel) turn() {
	h.mu.Lock()
	if len(h.streams) == 0 { // the last has just left
		h.mu.Unlock()
		return
	}
	h.timer.Reset(h.every)
	all := slices.Collect(maps.Keys(h.streams))
	h.mu.Unlock()
	for _, st := range all {
		st.beat()
	}
}
