package present

import (
	"time"

	"mcp-askuser/desk"
)

// startClock has the record end when its time is up. The time is the asker's, of
// several calls that of the first that waits: a record that is only shown here is
// ended by its asker's process. Callers must hold p.mu.
func (x *Presentation) startClock() {
	if x.clock != nil {
		x.clock.Stop()
	}
	x.looked, x.worked = time.Time{}, time.Time{}
	x.due = x.asked.Add(x.timeout)
	if x.timeout > 0 {
		x.clock = time.AfterFunc(0, x.checkDeadline)
	}
}

// checkDeadline ends the record at its deadline, which work on the record moves. It looks at least
// once a minute, as no timer runs while the machine sleeps, and surfaces show a time of day. Work
// that was done between two looks may have the time of another machine's clock.
func (x *Presentation) checkDeadline() {
	rec, err := x.p.Desk.Get(x.ctx, x.rec.ID)
	now := x.p.Now().Round(0)
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	if x.state.closed() || x.timeout <= 0 {
		return
	}
	if err != nil {
		x.clock.Reset(x.p.longest())
		return
	}
	if !rec.Worked.Equal(x.worked) {
		x.worked = rec.Worked
		at := rec.Worked
		if at.After(now) || at.Before(x.looked) {
			at = now
		}
		if at.After(x.asked) {
			x.due = at.Add(x.timeout)
		}
	}
	x.looked = now
	left := x.due.Sub(now)
	if left > 0 {
		x.clock.Reset(min(left, 1200*x.p.Retry)) // a minute
		return
	}
	timeout := x.timeout
	x.running.Go(func() { x.timeOut(timeout) })
}

// timeOut ends a record at its deadline: without an answer, unless asker and
// configuration both want the defaults.
func (x *Presentation) timeOut(waited time.Duration) {
	if r, ok := x.rec.TimeoutReply(); ok && x.p.TakeDefaults {
		x.store(desk.Outcome{Reply: &r}, desk.Evidence{Surface: "timeout", How: desk.HowTimeout})
		return
	}
	x.store(desk.Outcome{Status: desk.Timeout, Reason: waited.String()}, desk.Evidence{})
}
