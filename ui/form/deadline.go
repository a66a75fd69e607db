package form

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// urgent is how long before a deadline the time left is drawn as a fault.
const urgent = 20 * time.Second

// Deadline is the message that says when the record's timeout strikes; the zero
// At takes an earlier one back. The host ends the record; the form only shows when.
type Deadline struct{ At time.Time }

// countdown shows how long is left before a deadline. It ticks only when that
// reads otherwise: once a minute until the last.
type countdown struct {
	left time.Duration // when last looked at
	wake time.Time     // when the one timer that counts fires; zero: none runs
}

// look follows every message. It notes how long is left, and sets the timer for
// the next moment at which what is shown changes. A timer that is set for an
// earlier one stays: every key moves the deadline, and that many timers would
// pile up.
func (c *countdown) look(now, at time.Time) tea.Cmd {
	c.left = at.Sub(now)
	if at.IsZero() || c.left <= 0 {
		return nil
	}
	_, wait := words.Local.Left(c.left)
	wake := now.Add(wait)
	if !c.wake.IsZero() && !wake.Before(c.wake) {
		return nil
	}
	c.wake = wake
	rang := func() tea.Cmd { //nolint:unparam // what term.Then takes
		if wake.Equal(c.wake) { // else it was overtaken
			c.wake = time.Time{}
		}
		return nil
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return term.Then(rang) })
}

// text tells what is left.
func (c *countdown) text() string {
	text, _ := words.Local.Left(c.left)
	return text
}
