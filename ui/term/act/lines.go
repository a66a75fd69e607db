package act

import (
	"context"
	"io"
	"time"
)

// Enter is the key of a line.
const Enter = "enter"

// ReadLine returns the next line that counts. The channel must deliver lines as soon as
// they are read, also while another one settles, or its paste would go unnoticed. When lines
// were discarded and a pause has followed, again is called, to write the prompt once more.
//
// The error is io.EOF once lines is closed and the last one is settled, or the
// cause of the context's end. A caller that finds a line without meaning passes a [Foreign]
// key to m before the next call.
func ReadLine[T any](ctx context.Context, m *Machine, lines <-chan T, again func()) (T, error) {
	var held, none T
	take := func(line T, open bool) {
		switch {
		case !open:
			lines = nil
		case m.Key(time.Now(), Enter, Act) == Hold:
			held = line
		}
	}
	for lines != nil || m.Holding() {
		var due <-chan time.Time
		if next := m.Next(); !next.IsZero() {
			due = time.After(time.Until(next))
		}
		select {
		case line, open := <-lines:
			take(line, open)
			continue
		case <-ctx.Done():
			return none, context.Cause(ctx)
		case <-due:
		}
		select { // a line of the same moment is first
		case line, open := <-lines:
			take(line, open)
			continue
		default:
		}
		waiting := m.Waiting()
		if _, v := m.Tick(time.Now()); v != Ignore {
			return held, nil
		}
		if waiting && !m.Waiting() {
			again()
		}
	}
	return none, io.EOF
}
