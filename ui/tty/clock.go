package tty

import (
	"context"
	"sync"
	"time"

	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// lastWarning is the time from the warning to the deadline: as long as the full-screen form
// counts down. Lines that count down would bury the line that is being typed.
const lastWarning = 20 * time.Second

// deadline is when the question closes, zero for never.
func (c *conversation) deadline(ctx context.Context) time.Time {
	at := c.desk.Deadline(ctx)
	if !at.IsZero() && !view.Closes(at, c.desk.Attended(ctx), time.Now()) {
		return time.Time{}
	}
	return at
}

// timeLeft names the time until the question closes, at least a moment.
func timeLeft(at time.Time) string {
	text, _ := words.Local.Left(max(time.Until(at), 1))
	return text
}

// warnBeforeDeadline writes a warning shortly before the deadline, above the prompt, unless
// the returned function is called first.
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
