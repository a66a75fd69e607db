package termtest

import (
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Clock is the time of a model that runs without a program, and its timers.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []timer // in the order in which they fire
}

type timer struct {
	at  time.Time
	msg tea.Msg
}

// NewClock returns a clock that stands at this time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now is what a model takes for the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set has it be this time. No timer fires.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// After starts a timer, as a gate does.
func (c *Clock) After(d time.Duration, msg tea.Msg) tea.Cmd {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = append(c.timers, timer{c.now.Add(d), msg})
	slices.SortStableFunc(c.timers, func(a, b timer) int { return a.at.Compare(b.at) })
	return nil
}

// Timers returns how many timers run.
func (c *Clock) Timers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// Forget takes all timers away.
func (c *Clock) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = nil
}

// Pass lets time pass. The messages of timers are sent at their times.
func (c *Clock) Pass(d time.Duration, send func(tea.Msg)) {
	until := c.Now().Add(d)
	for {
		c.mu.Lock()
		if len(c.timers) == 0 || c.timers[0].at.After(until) {
			c.now = until
			c.mu.Unlock()
			return
		}
		next := c.timers[0]
		c.timers = c.timers[1:]
		c.now = next.at
		c.mu.Unlock()
		send(next.msg)
	}
}
