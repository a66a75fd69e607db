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
	x.looked, x.due = time.Time{}, time.Time{}
	if x.timeout > 0 {
		x.clock = time.AfterFunc(0, x.checkDeadline)
	}
}

// checkDeadline ends the record at its deadline, which work on the record moves. The clock of the
// machine where that is done may be another: work counts as done between two looks, and without any
// the time is up. No timer runs while the machine sleeps, and all surfaces show a time of day: the
// clock on the wall counts, too.
func (x *Presentation) checkDeadline() {
	x.p.mu.Lock()
	asked, now := x.asked, x.p.Now()
	left := min(x.due.Sub(now), x.due.Round(0).Sub(now.Round(0)))
	early := left > 0 && !x.state.closed()
	if early {
		x.clock.Reset(min(left, x.p.glance()))
	}
	x.p.mu.Unlock()
	if early {
		return
	}
	rec, err := x.p.Desk.Get(x.ctx, x.rec.ID)
	now = x.p.Now()
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	if x.state.closed() || x.timeout <= 0 || !asked.Equal(x.asked) { // or a later call has started its own clock
		return
	}
	if err != nil {
		x.clock.Reset(x.p.longest())
		return
	}
	idle := !x.looked.IsZero() && rec.Worked.Equal(x.worked)
	x.worked = rec.Worked
	if rec.Worked.After(now) || rec.Worked.Before(x.looked) {
		rec.Worked = now
	}
	x.looked = now
	rec.Timeout, rec.CreatedAt = x.timeout, asked
	left = rec.Deadline().Sub(now)
	if idle || left <= 0 {
		x.running.Go(func() { x.timeOut(rec.Timeout) })
		return
	}
	x.due = now.Add(left)
	x.clock.Reset(min(left, x.p.glance()))
}

// glance is how often the clock on the wall is looked at: once a minute.
func (p *Presenter) glance() time.Duration { return 1200 * p.Retry }

// timeOut ends a record at its deadline: without an answer, unless asker and
// configuration both want the defaults.
func (x *Presentation) timeOut(seconds float64) {
	if r, ok := x.rec.TimeoutReply(); ok && x.p.TakeDefaults {
		x.store(desk.Outcome{Reply: &r}, desk.Evidence{Surface: "timeout", How: desk.HowTimeout})
		return
	}
	waited := time.Duration(seconds * float64(time.Second))
	x.store(desk.Outcome{Status: desk.Timeout, Reason: waited.String()}, desk.Evidence{})
}
