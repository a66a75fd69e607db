package act

import (
	"context"
	"io"
	"time"
)

// Enter is the key of a line.
const Enter = "enter"

// ReadLine returns the next line that counts. The channel hands over whatever
// the caller makes of a line, as soon as it was read: also while another one
// settles, or its paste would go unnoticed. When lines were thrown away and a
// pause has come, again is called, to put the prompt once more.
//
// The error is io.EOF once lines is closed and the last one is settled, or the
// cause of the context's end. A line that the caller finds to mean nothing is
// told to m as a [Foreign] key before the next call.
func ReadLine[T any](ctx context.Context, m *Machine, lines <-chan T, again func()) (T, error) {
	var held, none T
	hear := func(line T, open bool) {
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
			hear(line, open)
			continue
		case <-ctx.Done():
			return none, context.Cause(ctx)
		case <-due:
		}
		select { // a line that came in the same moment came first
		case line, open := <-lines:
			hear(line, open)
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
