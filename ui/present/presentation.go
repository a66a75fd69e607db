package present

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// Presentation is one open record in front of the human, and the calls that
// wait for it.
type Presentation struct {
	p        *Presenter
	rec      desk.Record     // as it was asked
	ctx      context.Context // of all that goes on for the record
	withdraw context.CancelCauseFunc
	running  sync.WaitGroup // all that goes on but the wait; nothing begins after the end
	forms    Forms
	finishes sync.Once
	ended    chan struct{} // closed once final, mark and err are set
	final    desk.Record   // with its outcome; zero
	mark     func() error  // marks final as delivered
	err      error         // where it never will be known

	owns   atomic.Bool // some call waits, or has waited, as its asker
	asking []*asking   // by which those who ask the same find it; guarded by Presenter.mu
	line   string      // the surface in whose line it is; so guarded

	mu          sync.Mutex
	clock       *time.Timer // of the timeout; nil while no call has asked
	interrupted desk.Status
	stays       bool
	askers      int // calls that wait and have asked; they end a record that nobody can be shown
	waiting     int // calls for which the record is attended
	held        *desk.Attendance
	walking     bool     // some surface may still reach the human
	alone       bool     // walking, and the last surface has gone
	others      Surfaces // of the last call that joined meanwhile
	nobody      chan struct{}
	why         error           // set before nobody is closed: why no surface shows it
	surface     string          // the one that is being tried, or shows it
	shownAt     time.Time       // since when it does
	address     string          // where the human can be sent
	waiters     []*Waiter       // of an open record, all that have not left
	kept        *question.Reply // given where it cannot be given again, and not stored
	own         bool            // a surface is sending, or has sent, the end
	unstored    bool            // final is known here alone
	told        bool            // some call has delivered the end
}

// newPresentation is that of a record which is open.
func newPresentation(p *Presenter, rec desk.Record) *Presentation {
	x := &Presentation{p: p, rec: rec, ended: make(chan struct{}), nobody: make(chan struct{})}
	close(x.nobody) // until the first walk: there is none where the end is known before
	x.forms.x = x
	x.ctx, x.withdraw = context.WithCancelCause(p.ctx)
	return x
}

// Set is what is asked.
func (x *Presentation) Set() *question.Set { return &x.rec.Set }

// Forms is the way to a client that takes a form along from one call and brings
// its result with another.
func (x *Presentation) Forms() *Forms { return &x.forms }

// SetAddress tells the calls that wait where the human can be sent.
func (x *Presentation) SetAddress(address string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.address = address
	x.change()
}

// change signals the waiters. Callers must hold x.mu.
func (x *Presentation) change() {
	for _, w := range x.waiters {
		w.signal()
	}
}

func (x *Presentation) stir() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.change()
}

// run waits for the end of the record, and stays until nothing goes on for it.
func (x *Presentation) run() {
	defer x.p.closed(x)
	defer x.p.leave()
	defer x.withdraw(nil)
	defer x.stopClock()
	x.await()
	x.running.Wait()
}

// begin has something go on beside run, unless the record has ended.
func (x *Presentation) begin(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over() {
		x.running.Go(f)
	}
}

// over reports whether the end is known.
func (x *Presentation) over() bool {
	select {
	case <-x.ended:
		return true
	default:
		return false
	}
}

// await waits on the desk for the record's end. A wait that fails is begun
// anew, after pauses: one for want of files sees the end all the same, late.
func (x *Presentation) await() {
	for pause := x.p.pauses(); ; {
		end, err := x.p.Desk.WaitFor(x.ctx, x.rec.ID)
		if x.waited(end, err, pause) {
			return
		}
	}
}

// waited is what follows a wait, and reports whether the end is known. It stands
// by itself, since a record is a quarter of a kilobyte, and every copy below a
// wait counts: the stack stays as large as the wait needs.
func (x *Presentation) waited(end *desk.Record, err error, pause func(end <-chan struct{}) bool) bool {
	switch err = desk.Lost(err); {
	case err == nil:
		x.finish(*end, nil)
		return true
	case x.ctx.Err() != nil:
		err = context.Cause(x.ctx)
	case errors.Is(err, desk.ErrLost), errors.Is(err, desk.ErrDamaged):
	default:
		x.p.Log.Warn("waiting for the end of a question; trying again", "id", x.rec.ID, "error", err)
		if pause(x.ctx.Done()) {
			x.look(x.ctx)
		}
		return x.over()
	}
	x.finish(desk.Record{}, err)
	return true
}

// look notices what a wait that is deaf would miss: an end, or a store that has
// gone.
func (x *Presentation) look(ctx context.Context) {
	rec, err := x.p.Desk.Get(ctx, x.rec.ID)
	switch err = desk.Lost(err); {
	case err == nil && rec.Outcome != nil:
		x.finish(rec, nil)
	case errors.Is(err, desk.ErrLost):
		x.finish(desk.Record{}, err)
	}
}

// finish makes the end known, to the calls that wait and to the surfaces that
// had no part in it. Forms that are with a client wait no more: it gets the end
// when it comes back, and one that never does keeps nobody waiting. They go
// before anybody can ask the same anew, and would find the record attended.
func (x *Presentation) finish(rec desk.Record, err error) {
	x.finishes.Do(func() {
		x.forms.giveUp()
		x.prepareMark(rec)
		x.mu.Lock()
		x.final, x.err = rec, err
		close(x.ended)
		x.change()
		own := x.own
		x.mu.Unlock()
		x.p.mu.Lock()
		asking := x.asking
		x.p.mu.Unlock()
		x.p.forget(asking...)
		if !own {
			x.withdraw(x.cause())
		}
	})
}

// prepareMark prepares to mark a record as delivered, before its end is known: a
// kill between the response and the mark has the answer delivered again.
func (x *Presentation) prepareMark(rec desk.Record) {
	x.mark = x.p.Desk.PrepareDelivered(context.Background(), rec)
}

// cause is why a surface is withdrawn.
func (x *Presentation) cause() error {
	if x.err != nil {
		return x.err
	}
	return &desk.ClosedError{ID: x.rec.ID, Outcome: *x.final.Outcome}
}

// startClock has the record end when its time is up. The time is the asker's: a
// record that is shown, and nobody in this process has asked for, ends by whoever has.
func (x *Presentation) startClock() {
	if x.rec.Timeout <= 0 {
		return
	}
	var clock *time.Timer
	clock = time.AfterFunc(math.MaxInt64, func() { // not before it is known itself
		at, ok := x.p.Desk.Deadline(x.ctx, x.rec)
		if !ok || x.ctx.Err() != nil {
			return
		}
		if left := time.Until(at); left > 0 { // work on the record moves the deadline
			clock.Reset(left)
			return
		}
		x.begin(x.timeOut)
	})
	clock.Reset(0)
	x.clock = clock
}

func (x *Presentation) stopClock() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.clock != nil {
		x.clock.Stop()
	}
}

// timeOut ends a record that nobody answered: without an answer, unless asker
// and configuration both want the defaults and every required question has one. A
// confirmation takes none.
func (x *Presentation) timeOut() {
	if x.rec.OnTimeout == desk.OnTimeoutDefault && x.p.TakeDefaults && !x.rec.RequiresUser() {
		if r, ok := x.rec.DefaultReply(); ok {
			x.settleReply(r, desk.Evidence{Surface: "timeout", How: desk.HowTimeout})
			return
		}
	}
	waited := time.Duration(x.rec.Timeout * float64(time.Second))
	x.settle(desk.Outcome{Status: desk.Timeout, Reason: waited.String()})
}

// startWalk has surfaces tried. The lock is held, and the end not known.
func (x *Presentation) startWalk(surfaces Surfaces) {
	x.walking, x.nobody = true, make(chan struct{})
	x.running.Go(func() { x.walk(surfaces) })
}

// walk tries the surfaces in order and stays with the first that reaches the
// human. What then is still open, it ends on behalf of a call that asked.
func (x *Presentation) walk(surfaces Surfaces) {
	for surfaces != nil {
		surfaces = x.next(x.try(surfaces(x)))
	}
}

// next returns the surfaces of a call that has joined meanwhile and are to be
// tried, after the last ones ended with err. Where there are none it ends the
// walk.
func (x *Presentation) next(err error) (others Surfaces) {
	x.mu.Lock()
	if errors.Is(err, ui.ErrCallEnded) && x.others != nil {
		others, x.others = x.others, nil
		x.mu.Unlock()
		return others
	}
	kept, surface, asked, interrupted := x.kept, x.surface, x.askers > 0, x.interrupted
	stays := x.stays
	x.why, x.others, x.alone = err, nil, true
	close(x.nobody)
	x.change()
	x.mu.Unlock()
	switch {
	case isEnd(err) || x.ctx.Err() != nil && errors.Is(err, context.Cause(x.ctx)):
	case errors.Is(err, ui.ErrInterrupted) && interrupted == desk.Dismissed: // the human's word, though no answer
		x.settleReply(question.Reply{Dismissed: true}, x.evidence(surface))
	case errors.Is(err, ui.ErrInterrupted) && interrupted == desk.Cancelled:
		x.settle(desk.Outcome{Status: desk.Cancelled, Reason: "interrupted at the command line"})
	case errors.Is(err, ui.ErrInterrupted), errors.Is(err, ui.ErrCallEnded):
	case errors.Is(err, ui.ErrUnavailable) && asked && !stays:
		x.settle(desk.Outcome{Status: desk.Unavailable, Reason: err.Error()})
	case errors.Is(err, ui.ErrUnavailable):
	case kept != nil:
		x.settleReply(*kept, x.evidence(surface))
	case asked:
		x.settle(desk.Outcome{Status: desk.Failed, Reason: err.Error()})
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	others = x.others
	x.walking, x.others, x.alone = others != nil && !x.over(), nil, false
	if others != nil && !x.walking {
		close(x.nobody)
		x.change()
	}
	if !x.walking {
		return nil
	}
	return others // of a call that came when the last surface had just gone
}

// try shows the record on one surface after the other. The error is nil or a
// *desk.ClosedError where the record has ended, a *NobodyError where no surface
// reached the human, the cause of the context's end, or what a surface failed
// with.
func (x *Presentation) try(surfaces []ui.Surface) error {
	var tried []desk.Showing
	for _, s := range surfaces {
		x.shown(append(slices.Clip(tried), desk.Showing{Surface: s.Name()}))
		why, err := x.tried(s, x.showOn(s))
		if why == "" {
			return err
		}
		tried = append(tried, desk.Showing{Surface: s.Name(), Why: why})
		if x.ctx.Err() != nil {
			return context.Cause(x.ctx)
		}
	}
	x.shown(tried)
	return &NobodyError{tried}
}

// tried is what err, with which a surface has returned, means: why it did not
// reach the human, or else what try returns.
func (x *Presentation) tried(s ui.Surface, err error) (why string, _ error) {
	switch {
	case isEnd(err):
		return "", nil
	case x.ctx.Err() != nil && errors.Is(err, context.Cause(x.ctx)):
	case errors.Is(err, ui.ErrInterrupted), errors.Is(err, ui.ErrCallEnded):
	case errors.Is(err, ui.ErrUnavailable):
		x.p.Log.Info("surface not available", "id", x.rec.ID, "surface", s.Name(), "why", err)
		return err.Error(), nil
	default:
		x.p.Log.Warn("a surface failed", "id", x.rec.ID, "surface", s.Name(), "error", err)
	}
	return "", err
}

// showOn shows the record on a surface. One that panics has failed: other
// questions of this process are no business of its.
func (x *Presentation) showOn(s ui.Surface) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = x.broke(s, fault)
		}
	}()
	x.mu.Lock()
	x.shownAt = time.Now()
	x.mu.Unlock()
	return s.Show(x.ctx, x.rec, func(r question.Reply) error { return x.send(r, s.Name()) })
}

func (x *Presentation) broke(s ui.Surface, fault any) error {
	x.p.Log.Error("a surface broke", "id", x.rec.ID, "surface", s.Name(), "fault", fault, "stack", string(debug.Stack()))
	return fmt.Errorf("the surface %s broke: %v", s.Name(), fault)
}

// shown keeps with the record where its asker tried it and shows it: whoever
// looks at it elsewhere sees where else it is.
func (x *Presentation) shown(tried []desk.Showing) {
	if len(tried) > 0 {
		x.mu.Lock()
		now := tried[len(tried)-1]
		if now.Surface != x.surface {
			x.surface = now.Surface
			x.change()
		}
		x.mu.Unlock()
		x.p.standIn(x, now)
	}
	if !x.owns.Load() {
		return
	}
	if err := x.p.Desk.SetShown(x.ctx, x.rec.ID, tried); err != nil && !isEnd(err) {
		x.p.Log.Info("where it is shown is not kept", "id", x.rec.ID, "error", err)
	}
}

// evidence is what a reply that a surface commits here proves of its answerer.
func (x *Presentation) evidence(surface string) desk.Evidence {
	return ui.Evidence(surface, x.owns.Load())
}

// send is the surfaces' ui.Commit. While a surface sends, and after it has
// sent, the end of the record is no news to it, and does not withdraw it. A
// reply that the store did not take is kept, in case the surface cannot ask for
// it again.
func (x *Presentation) send(r question.Reply, surface string) error {
	x.mu.Lock()
	r.Took = cmp.Or(r.Took, time.Since(x.shownAt))
	x.own = true
	x.mu.Unlock()
	rec, err := x.p.Desk.Reply(x.ctx, x.rec.ID, r, x.evidence(surface))
	if err == nil {
		x.finish(rec, nil)
		return nil
	}
	x.mu.Lock()
	x.own, x.kept = false, nil
	if !isEnd(err) && !refused(err) {
		x.kept = &r
	}
	over := x.over()
	x.mu.Unlock()
	switch {
	case over: // meanwhile, and the surface was not told
		x.withdraw(x.cause())
	case isEnd(err):
		x.finish(rec, nil)
	}
	return err
}
