package form

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/words"
)

// urgent is how long before a deadline the time left is drawn as a fault.
const urgent = 20 * time.Second

// left is the time until the deadline, and wait how long its text stays true: at most a minute, as the
// machine may sleep meanwhile.
func (f *Form) left() (left time.Duration, text string, wait time.Duration) {
	left = f.status.Deadline.Sub(f.window.Now())
	text, wait = words.Local.Left(left)
	return left, text, min(wait, time.Minute)
}

// countDown has the form drawn again when the text changes: once a minute until the last. One
// timer runs at a time, unless a later one must fire before it.
func (f *Form) countDown() tea.Cmd {
	left, _, wait := f.left()
	at := f.window.Now().Add(wait)
	if f.status.Deadline.IsZero() || left <= 0 || f.alarm.After(f.window.Now()) && !at.Before(f.alarm) {
		return nil
	}
	f.alarm = at
	return f.window.Gate.After(wait, gate.Tick{})
}
