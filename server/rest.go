package server

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// rest has the process give memory back to the system once many calls wait for
// humans and nothing goes on any more. Of what they took to begin, most is
// garbage then, and the collector, which has nothing to do, would leave it there
// for hours.
type rest struct {
	mu        sync.Mutex
	begun     int    // calls, since memory was given back
	allocated uint64 // bytes, when it was last looked
}

var ofProcess rest //nolint:gochecknoglobals // as is its memory

const (
	many    = 64 // as many calls are worth a collection
	quiet   = 2 * time.Second
	little  = 256 << 10 // bytes that are allocated in that time when nothing goes on
	percent = 50        // of what lives is allocated before a collection: holes that calls which wait have left stay
)

// began says that one more call waits.
func (r *rest) began() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun++; r.begun != many {
		return
	}
	if usual := debug.SetGCPercent(percent); usual < 100 { // the user's will
		debug.SetGCPercent(usual)
	}
	time.AfterFunc(quiet, r.look)
}

func (r *rest) look() {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	now := sample[0].Value.Uint64()
	r.mu.Lock()
	defer r.mu.Unlock()
	busy := now-r.allocated > little
	r.allocated = now
	if busy {
		time.AfterFunc(quiet, r.look)
		return
	}
	r.begun = 0
	go func() {
		for range 3 { // each halves the stacks that are not used
			runtime.GC()
		}
		debug.FreeOSMemory()
	}()
}
