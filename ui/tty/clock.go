package tty

import (
	"context"
	"sync"
	"time"

	"mcp-askuser/ui/words"
)

// lastWarning is how long before the deadline the human is warned: as
// long as the full-screen form counts down. Lines that count down would bury
// what is being typed.
const lastWarning = 20 * time.Second

// deadline is when the question closes, the zero time for never. A deadline that passed
// while no asker waited closes nothing.
func (c *conversation) deadline(ctx context.Context) time.Time {
	at := c.desk.Deadline(ctx)
	if !at.IsZero() && time.Until(at) <= 0 && !c.desk.Attended(ctx) {
		return time.Time{}
	}
	return at
}

// timeLeft says how long it is until the question closes: at least a moment.
func timeLeft(at time.Time) string {
	text, _ := words.Local.Left(max(time.Until(at), 1))
	return text
}

// warnBeforeDeadline says when the time is nearly up, and writes the prompt again, until
// the returned function is called.
func (c *conversation) warnBeforeDeadline(ctx context.Context) (stop func()) {
	at := c.deadline(ctx)
	if at.IsZero() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		for ; time.Until(at) > lastWarning; at = c.deadline(ctx) { // it moves when the human types elsewhere
			select {
			case <-time.After(time.Until(at) - lastWarning):
			case <-ctx.Done():
				return
			}
		}
		if at.IsZero() || ctx.Err() != nil {
			return
		}
		c.in.printAbove(func() {
			c.blank()
			c.text("", words.T("The question %s unless you enter a line.", timeLeft(at)))
		})
	})
	return func() { cancel(); waiting.Wait() }
}
