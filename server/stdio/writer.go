package stdio

import (
	"io"
	"time"

	"mcp-askuser/server"
)

// writer owns the output. One goroutine empties its queue, and decides for each message,
// when it is written, whether it is still wanted.
type writer struct {
	*server.Queue
	out  io.Writer
	done chan struct{} // run has returned
	err  error         // of out; to be read after done
}

func newWriter(out io.Writer) *writer {
	return &writer{Queue: server.NewQueue(), out: out, done: make(chan struct{})}
}

// run writes until the queue is closed and empty, or the output fails.
func (w *writer) run() {
	defer close(w.done)
	for range w.Ready() {
		for m, ok := w.Take(); ok; m, ok = w.Take() {
			if w.err = m.Write(w.write); w.err != nil {
				w.Abandon()
				return
			}
		}
	}
}

// write writes a line in one Write.
func (w *writer) write(line []byte) error {
	_, err := w.out.Write(line)
	return err
}

// finish takes no more messages, and waits until the queue is written, or for as long as limit. It
// reports whether it was written.
func (w *writer) finish(limit time.Duration) bool {
	w.Close()
	return waitFor(w.done, limit)
}
