package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// input is standard input. Once nothing has come for a while, and nothing goes
// on, the memory that hundreds of calls took to arrive goes back to the system:
// they wait for humans now.
type input struct {
	*os.File
	rest *time.Timer
}

func resting(in *os.File) *input {
	r := &input{File: in}
	var running atomic.Int64
	ready := make(chan struct{})
	r.rest = time.AfterFunc(quiet, func() {
		<-ready
		now := int64(runtime.NumGoroutine())
		before := running.Swap(now)
		switch {
		case now < many:
		case now != before: // they are still on their way
			r.rest.Reset(quiet)
		default:
			for range 3 { // each halves the stacks that are not used
				runtime.GC()
			}
			debug.FreeOSMemory()
		}
	})
	close(ready)
	return r
}

const (
	quiet = 2 * time.Second // how long nothing comes until then
	many  = 500             // as many goroutines have hundreds of calls
)

func (in *input) Read(p []byte) (int, error) {
	n, err := in.File.Read(p)
	in.rest.Reset(quiet)
	return n, err
}

// Close ends the waiting for input, and for quiet.
func (in *input) Close() error {
	in.rest.Stop()
	return in.File.Close()
}
