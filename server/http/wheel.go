package http

import (
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// wheel has all open streams say together that they are alive: one timer, and
// one moment in which the process wakes. It rests while there are none.
//
// It is also the moment to give memory back. Of what a call takes to begin, two
// thirds are garbage once it waits, and the collector, which has nothing to do
// while a thousand calls wait, would leave it there for hours.
type wheel struct {
	every time.Duration

	mu      sync.Mutex
	streams map[*stream]struct{}
	begun   int // streams, since memory was given back
	timer   *time.Timer
}

// many is how many calls must have begun to wait for their garbage to be worth a
// collection.
const many = 64

// join has a stream beat until it leaves.
func (h *wheel) join(st *stream) (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.streams) == 0 {
		h.streams = map[*stream]struct{}{}
		h.timer = time.AfterFunc(h.every, h.turn)
	}
	h.streams[st] = struct{}{}
	h.begun++
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

// giveBack returns memory to the system.
func giveBack() {
	for range 3 { // each halves the stacks that are not used
		runtime.GC()
	}
	debug.FreeOSMemory()
}

func (h *wheel) turn() {
	h.mu.Lock()
	if len(h.streams) == 0 { // the last has just left
		h.mu.Unlock()
		return
	}
	h.timer.Reset(h.every)
	if h.begun >= many {
		h.begun = 0
		go giveBack()
	}
	all := slices.Collect(maps.Keys(h.streams))
	h.mu.Unlock()
	for _, st := range all {
		st.beat()
	}
}
