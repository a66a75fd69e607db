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
	x.looked = time.Time{}
	if x.timeout > 0 {
		x.clock = time.AfterFunc(0, x.checkDeadline)
	}
}

// checkDeadline ends the record at its deadline, which work on the record moves. The clock of the
// machine where that is done may be another: work counts as done between two looks, and without any
// the time is up.
func (x *Presentation) checkDeadline() {
	rec := x.rec
	x.p.mu.Lock()
	rec.Timeout, rec.CreatedAt = x.timeout, x.asked
	x.p.mu.Unlock()
	if rec.Timeout <= 0 {
		return
	}
	worked, err := x.p.Desk.Worked(x.ctx, x.rec.ID)
	now := time.Now()
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	if x.state.closed() || !rec.CreatedAt.Equal(x.asked) { // or a later call has started its own clock
		return
	}
	if err != nil {
		x.clock.Reset(x.p.longest())
		return
	}
	idle := !x.looked.IsZero() && worked.Equal(x.worked)
	x.worked = worked
	if worked.After(now) || worked.Before(x.looked) {
		worked = now
	}
	x.looked = now
	left := time.Until(rec.Deadline(worked))
	if idle || left <= 0 {
		x.running.Go(func() { x.timeOut(rec.Timeout) })
		return
	}
	x.clock.Reset(left)
}

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
