package tty

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// lastCall is how long before the deadline the human is warned (D14): as
// long as the full-screen form counts down. Lines that count down would bury what is being typed.
const lastCall = 20 * time.Second

// openClock says that the time is limited (D14).
func (c *conversation) openClock(ctx context.Context) {
	if at := c.desk.deadline(ctx); !at.IsZero() {
		c.text("", "The question closes in "+span(time.Until(at))+"; every line you enter starts the time anew.")
	}
}

// warn tells the human when the time is nearly up, and puts the prompt again.
// Nobody else may write until the returned function was called.
func (c *conversation) warn(ctx context.Context, prompt string) (stop func()) {
	if c.desk.deadline(ctx).IsZero() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if !c.awaitLastCall(ctx) {
			return
		}
		c.blank()
		c.text("", "The question closes in "+span(time.Until(c.desk.deadline(ctx)))+" unless you enter a line.")
		c.print(prompt)
	})
	return func() { cancel(); waiting.Wait() }
}

// awaitLastCall waits until the time is nearly up. The deadline may move while
// it waits: somebody may be typing elsewhere.
func (c *conversation) awaitLastCall(ctx context.Context) bool {
	for {
		left := time.Until(c.desk.deadline(ctx))
		if left <= lastCall {
			return ctx.Err() == nil
		}
		timer := time.NewTimer(left - lastCall)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

// span puts a duration into words, to the second below two minutes and to the
// minute below two hours.
func span(d time.Duration) string {
	unit, name := time.Hour, "hours"
	switch d = max(d, 0).Round(time.Second); {
	case d == time.Second:
		return "1 second"
	case d < 2*time.Minute:
		unit, name = time.Second, "seconds"
	case d < 2*time.Hour:
		unit, name = time.Minute, "minutes"
	}
	return fmt.Sprintf("%d %s", d.Round(unit)/unit, name)
}
