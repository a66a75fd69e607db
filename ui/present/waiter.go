package present

import (
	"context"
	"errors"
	"slices"
	"time"

	"mcp-askuser/desk"
)

// Waiter is one call that waits for the end of a record. Its methods are for
// that call alone, except Leave.
type Waiter struct {
	x       *Presentation
	role    role
	changed chan struct{} // holds one token; see Changed
}

// role is why a call waits. Each role includes the ones before it.
type role int

const (
	views  role = iota // displays the record
	awaits             // waits as its asker: the record is attended
	asks               // has asked: the record ends if no surface can show it
)

// join adds a waiter, also after the end of the record, and takes over the attendance that the
// caller may have.
func (x *Presentation) join(as role, q Question, attendance *desk.Attendance) *Waiter {
	w := x.joinOpen(as, q, attendance)
	if w == nil {
		x.p.mu.Lock()
		w = x.addWaiter(asks)
		x.p.mu.Unlock()
		x.attend(attendance)
	}
	return w
}

// joinOpen is join, and shows the record where no surface does. It returns nil if the record has ended.
func (x *Presentation) joinOpen(as role, q Question, attendance *desk.Attendance) *Waiter {
	x.p.mu.Lock()
	if !x.show(q.Surfaces) {
		x.p.mu.Unlock()
		return nil
	}
	restarts := as == asks && !x.awaitedBy(awaits)
	w := x.addWaiter(as)
	if as == asks {
		x.interrupted, x.keepOpen = q.Interrupted, q.KeepOpen
	}
	if restarts { // its time counts: that of a call before does not, nor the time without one
		x.timeout, x.asked = q.Timeout, time.Now()
	}
	if restarts || as >= awaits && !x.owned {
		x.owned = true
		x.startClock()
	}
	x.p.mu.Unlock()
	x.attend(attendance)
	return w
}

// show runs the surfaces, or keeps them for when those that run have returned.
// It is false if the record has ended. Callers must hold p.mu, as those of
// addWaiter and awaitedBy must.
func (x *Presentation) show(surfaces Surfaces) bool {
	switch x.on(show) {
	case run:
		x.unshown = make(chan struct{})
		x.running.Go(func() { x.runSurfaces(surfaces) })
	case queue:
		x.queued = surfaces
	case refused:
		return false
	default:
	}
	return true
}

func (x *Presentation) addWaiter(as role) *Waiter {
	w := &Waiter{x: x, role: as, changed: make(chan struct{}, 1)}
	x.waiters = append(x.waiters, w)
	return w
}

// awaitedBy reports whether a waiter has at least this role.
func (x *Presentation) awaitedBy(least role) bool {
	return slices.ContainsFunc(x.waiters, func(w *Waiter) bool { return w.role >= least })
}

// attend makes the record attended while a waiter awaits it, by the attendance that the caller may
// have or one of its own, unless another process waits for it too: then both get the end. It detaches
// a record that no waiter awaits: where that fails (a full disk), later.
func (x *Presentation) attend(a *desk.Attendance) {
	x.attending.Lock()
	defer x.attending.Unlock()
	x.p.mu.Lock()
	awaited, closed := x.awaitedBy(awaits), x.state.closed()
	x.p.mu.Unlock()
	if x.attendance == nil {
		x.attendance = a
	} else {
		a.Release()
	}
	if awaited && !closed && x.attendance == nil {
		ctx, cancel := soon(context.Background())
		defer cancel()
		var err error
		x.attendance, err = x.p.Desk.Attend(ctx, x.rec.ID)
		if err != nil {
			x.p.Log.Debug("the question is not attended by this process", "id", x.rec.ID, "error", err)
		}
	}
	if awaited {
		return
	}
	x.attendance.Release()
	if x.attendance.Held() && x.p.ctx.Err() == nil {
		time.AfterFunc(x.p.longest(), func() { x.attend(nil) })
		return
	}
	x.attendance = nil
}

// Leave ends the call's waiting. A record without waiters is detached; it stays
// open and in front of the user. Leave may be repeated.
func (w *Waiter) Leave() {
	x := w.x
	x.p.mu.Lock()
	x.waiters = slices.DeleteFunc(x.waiters, func(other *Waiter) bool { return other == w })
	x.p.mu.Unlock()
	x.attend(nil)
}

// Record is the record as it was asked.
func (w *Waiter) Record() desk.Record { return w.x.rec }

// Asked reports whether the call asked the question, or the same one.
func (w *Waiter) Asked() bool { return w.role == asks }

// Ended is closed when the end of the record is known; see Result.
func (w *Waiter) Ended() <-chan struct{} { return w.x.ended }

// HasEnded reports whether the end of the record is known.
func (w *Waiter) HasEnded() bool {
	select {
	case <-w.x.ended:
		return true
	default:
		return false
	}
}

// Result is, after Ended, the record with its outcome. The error says why
// there is none: the store has gone, or the presenter was closed.
func (w *Waiter) Result() (desk.Record, error) { return w.x.outcome, w.x.err }

// Unshown is closed while no surface shows the record; see UnshownReason. The
// record may still be answered elsewhere.
func (w *Waiter) Unshown() <-chan struct{} {
	w.x.p.mu.Lock()
	defer w.x.p.mu.Unlock()
	return w.x.unshown
}

// UnshownReason returns why Unshown is closed: ui.ErrUnavailable,
// ui.ErrInterrupted, or the error of the last surface.
func (w *Waiter) UnshownReason() error {
	w.x.p.mu.Lock()
	defer w.x.p.mu.Unlock()
	return w.x.unshownReason
}

// Surface names the surface that is being tried or shows the record, empty
// before the first.
func (w *Waiter) Surface() string {
	w.x.p.mu.Lock()
	defer w.x.p.mu.Unlock()
	return w.x.surface
}

// Changed returns a channel that receives a value whenever Ended or Unshown may
// have been closed, or the results of Surface or Form may have changed.
// Several changes may be one value. The caller examines them once before it
// receives, and again after each value.
func (w *Waiter) Changed() <-chan struct{} { return w.changed }

// SignalWith has other's Changed receive the values of w's too.
func (w *Waiter) SignalWith(other *Waiter) {
	w.x.p.mu.Lock()
	defer w.x.p.mu.Unlock()
	w.changed = other.changed
}

// signal makes Changed receive a value. It does not block.
func (w *Waiter) signal() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Tell reports whether the asker is to tell the user where to answer, because no surface
// shows the record: once in a process.
func (w *Waiter) Tell() bool {
	w.x.p.mu.Lock()
	defer w.x.p.mu.Unlock()
	told := w.x.told
	w.x.told = true
	return !told
}

// soon is the context of what a call waits for. It does not wait for a desk that does not answer: its
// host does not either.
func soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, 2*time.Second, desk.ErrUnreachable)
}

// Delivered reports that the outcome has reached the asker, and ends the call's waiting. It marks
// the record in one quick step; the rest is done in the background. Until it is marked the record
// stays attended, so that no other call receives the outcome: a yes allows one action.
func (w *Waiter) Delivered() {
	x, p := w.x, w.x.p
	p.mu.Lock()
	unmarked := x.addWaiter(awaits)
	p.mu.Unlock()
	mark := func(ctx context.Context) error { return p.Desk.Delivered(ctx, x.outcome.ID) }
	ctx, cancel := soon(context.Background())
	defer cancel()
	err := mark(ctx)
	p.runBackground(func() {
		w.Leave()
		ctx, finally := context.Background(), []error{desk.ErrNotFound, desk.ErrDenied, desk.ErrNewer,
			desk.ErrPending} // a desk of an older backup has it open
		p.repeat(func() bool {
			if err == nil || slices.ContainsFunc(finally, func(final error) bool { return errors.Is(err, final) }) {
				return true
			}
			p.Log.Error("cannot mark a result as delivered; trying again", "id", x.outcome.ID, "error", err)
			err = mark(ctx)
			return err == nil
		})
		unmarked.Leave()
		p.Desk.TidyUp(ctx)
	})
}

// Withdraw ends the call's waiting, and the record on behalf of the asker, who will not return for it,
// unless it has ended or another call, as that of a second subagent, awaits it, in this process
// or in another. The reason is one sentence. A call that asks the same from now on has a record of its own.
func (w *Waiter) Withdraw(reason string) {
	x := w.x
	x.attending.Lock()
	attends := x.attendance != nil // else another process has the question
	x.attending.Unlock()
	x.p.mu.Lock()
	others := func(other *Waiter) bool { return other != w && other.role >= awaits }
	ends := attends && !x.state.closed() && !slices.ContainsFunc(x.waiters, others)
	if ends {
		x.keys = nil // no call joins it
		x.running.Go(func() {
			x.store(desk.Outcome{Status: desk.Cancelled, Reason: reason}, desk.Evidence{})
			if w.HasEnded() && x.outcome.State == desk.Cancelled { // else the process ends, and the record stays open
				w.Delivered()
			}
			w.Leave() // until here no call takes the record over
		})
	}
	x.p.mu.Unlock()
	if !ends {
		w.Leave()
	}
}
