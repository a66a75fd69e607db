package present

import (
	"context"
	"slices"
	"sync/atomic"

	"mcp-askuser/desk"
)

// Waiter is the place of one call that waits for the end of a record. Its
// methods are for that call alone, but for Leave.
type Waiter struct {
	x       *Presentation
	role    role
	left    atomic.Bool
	changed chan struct{} // holds one token; see Changed
}

// role is what a call's waiting means.
type role struct {
	asks   bool // the record ends when no surface can show it
	awaits bool // the record is attended
}

// join adds a call to those that wait, and begins to show the record where no
// surface does. It is nil where the end is known already; else it takes over the
// attendance that the call may have.
func (x *Presentation) join(as role, surfaces Surfaces, attendance *desk.Attendance) *Waiter {
	x.mu.Lock()
	if x.over() {
		x.mu.Unlock()
		return nil
	}
	w := newWaiter(x, as)
	x.waiters = append(x.waiters, w)
	if as.asks {
		x.askers++
	}
	if as.awaits {
		if !x.owns.Swap(true) {
			x.startClock()
		}
		x.waiting++
	}
	if !x.walking {
		x.startWalk(surfaces)
	} else {
		if x.alone && x.others == nil {
			x.nobody = make(chan struct{})
		}
		x.others = surfaces
	}
	if x.held == nil {
		x.held, attendance = attendance, nil
	}
	claim := as.awaits && x.held == nil
	x.mu.Unlock()
	attendance.Release()
	if claim {
		x.attend()
	}
	return w
}

func newWaiter(x *Presentation, as role) *Waiter {
	return &Waiter{x: x, role: as, changed: make(chan struct{}, 1)}
}

// attend makes the record attended, unless somebody in another process waits
// for it too: then both get the end.
func (x *Presentation) attend() {
	a, err := x.p.Desk.Attend(context.Background(), x.rec.ID)
	if err != nil {
		x.p.Log.Debug("the question is not attended by this process", "id", x.rec.ID, "error", err)
		return
	}
	x.hold(a)
}

// hold keeps the attendance while a call waits.
func (x *Presentation) hold(a *desk.Attendance) {
	x.mu.Lock()
	if x.waiting > 0 && x.held == nil {
		x.held, a = a, nil
	}
	x.mu.Unlock()
	a.Release()
}

// Leave ends the call's waiting. When no call waits any more the record is
// detached; it stays open and in front of the human. Leave may be repeated.
func (w *Waiter) Leave() {
	if w.left.Swap(true) {
		return
	}
	x := w.x
	x.mu.Lock()
	x.waiters = slices.DeleteFunc(x.waiters, func(other *Waiter) bool { return other == w })
	var a *desk.Attendance
	if w.role.asks {
		x.askers--
	}
	if w.role.awaits {
		if x.waiting--; x.waiting == 0 {
			a, x.held = x.held, nil
		}
	}
	x.mu.Unlock()
	a.Release()
}

// Record is the record as it was asked.
func (w *Waiter) Record() desk.Record { return w.x.rec }

// Asked reports whether the call put the question, or one like it.
func (w *Waiter) Asked() bool { return w.role.asks }

// Ended is closed when the end of the record is known; see Result.
func (w *Waiter) Ended() <-chan struct{} { return w.x.ended }

// Result is, after Ended, the record with its outcome. The error says why
// there is none: the store has gone, or the presenter was closed.
func (w *Waiter) Result() (desk.Record, error) { return w.x.final, w.x.err }

// Unstored reports, after Ended, whether the end is known to this process
// alone, because the store does not take it.
func (w *Waiter) Unstored() bool {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	return w.x.unstored
}

// Nobody is closed once no surface shows the record; Why then says why: a
// *NobodyError, ui.ErrInterrupted, or what the last surface failed with. The
// record may be answered elsewhere still.
func (w *Waiter) Nobody() <-chan struct{} {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	return w.x.nobody
}

// Why is explained at Nobody.
func (w *Waiter) Why() error {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	return w.x.why
}

// Surface names the surface that is being tried or shows the record, empty
// before the first; the address is where the human can be sent, if anywhere.
func (w *Waiter) Surface() (name, address string) {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	return w.x.surface, w.x.address
}

// Changed returns a channel that receives a value whenever Ended or Nobody may
// have been closed, or the results of Surface, Behind or Form may have changed.
// Several changes may be one value. The caller examines them once before it
// receives, and again after each value.
func (w *Waiter) Changed() <-chan struct{} { return w.changed }

// signal makes Changed receive a value. It does not block.
func (w *Waiter) signal() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Try tries further surfaces, after Nobody, unless the record has ended or others
// are being tried already. It reports whether surfaces are being tried now.
func (w *Waiter) Try(surfaces Surfaces) bool {
	x := w.x
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over() && !x.walking {
		x.startWalk(surfaces)
	}
	return x.walking
}

// Look looks at the record once more. It notices what no wait would: that the
// store has gone.
func (w *Waiter) Look(ctx context.Context) { w.x.look(ctx) }

// Delivered says that the end has reached the one who asked, and ends the
// call's waiting. It marks the record in one quick step; what else there is to
// do goes on in the background.
func (w *Waiter) Delivered() {
	x := w.x
	x.mu.Lock()
	x.told = true
	unstored := x.unstored
	x.mu.Unlock()
	if !unstored {
		x.delivered(x.final)
	}
	x.p.aside(w.Leave)
}

// Withdraw ends the record in the name of the one who asked, for this reason,
// one sentence, unless it has ended already. Nobody will come back for it.
func (w *Waiter) Withdraw(reason string) {
	x := w.x
	x.begin(func() {
		x.settle(desk.Outcome{Status: desk.Cancelled, Reason: reason})
		if x.over() && x.final.State == desk.Cancelled && !w.Unstored() {
			x.delivered(x.final)
		}
	})
}
