package present

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Presentation is one open record in front of the user, and the waiters for its
// end.
type Presentation struct {
	p                *Presenter
	rec              desk.Record     // as it was asked
	ctx              context.Context // ends with the record
	cancel           context.CancelCauseFunc
	surfaceCtx       context.Context // of the surfaces; see withdraw
	withdrawSurfaces context.CancelCauseFunc
	running          sync.WaitGroup // all goroutines except run; none begins after the end
	attending        sync.Mutex     // guards attendance, also while the desk changes it
	attendance       *desk.Attendance

	ended   chan struct{} // closed when outcome and err are set
	outcome desk.Record   // the record with its outcome
	err     error         // why there is none

	// Guarded by Presenter.mu:
	state         state
	keys          []askedKey    // of the calls that join it; none once it ends or is withdrawn
	waiters       []*Waiter     // that have not left
	owned         bool          // a waiter of this process is or was the asker
	timeout       time.Duration // of the call that asked last, 0 for none; see startClock
	asked         time.Time     // when that asked
	clock         *time.Timer   // of the timeout; nil until owned
	looked        time.Time     // when that looked last; zero before the first time
	worked        time.Time     // the work on the record that it found
	due           time.Time     // the deadline
	interrupted   desk.Status   // as in Question
	keepOpen      bool          // as in Question
	queued        Surfaces      // of the last call that joined since the surfaces began to run
	unshown       chan struct{}
	unshownReason error  // set before unshown is closed: why no surface shows the record
	surface       string // that is being tried, or shows the record
	shownAt       time.Time
	told          bool            // see Waiter.Tell
	kept          *question.Reply // that the store did not take, in case the surface cannot ask for it again
	form          *Form           // offered to the client; nil for none
}

func newPresentation(p *Presenter, rec desk.Record) *Presentation {
	const longest = 1e9 // seconds: years that fit a time.Duration
	x := &Presentation{p: p, rec: rec, ended: make(chan struct{}), unshown: make(chan struct{}),
		timeout: time.Duration(min(rec.Timeout, longest) * float64(time.Second)), asked: rec.CreatedAt}
	close(x.unshown)
	return x
}

// Record is what is asked.
func (x *Presentation) Record() *desk.Record { return &x.rec }

// signal signals the waiters. Callers must hold p.mu.
func (x *Presentation) signal() {
	for _, w := range x.waiters {
		w.signal()
	}
}

// on moves the presentation to its next state and returns the effect, which is
// the caller's to bring about. Callers must hold p.mu.
func (x *Presentation) on(e event) (do effect) {
	x.state, do = x.state.next(e)
	return do
}

// run waits for the end of the record, and for everything that runs for it.
func (x *Presentation) run() {
	x.await()
	x.running.Wait()
	x.withdrawSurfaces(nil)
	p := x.p
	p.mu.Lock()
	delete(p.open, x.rec.ID)
	p.mu.Unlock()
}

// await waits on the desk for the end.
func (x *Presentation) await() {
	rec, err := x.p.Desk.Await(x.ctx, x.rec.ID)
	if err != nil {
		x.end(over, desk.Record{}, err)
		return
	}
	x.end(over, rec, nil)
}

// repeat calls try until it reports that it is done, after pauses that grow to 32 times the first,
// and once more where the presenter closes.
func (p *Presenter) repeat(try func() (done bool)) {
	for pause := p.Retry; !try(); pause = min(2*pause, p.longest()) {
		select {
		case <-time.After(pause):
		case <-p.ctx.Done():
			try()
			return
		}
	}
}

func (p *Presenter) longest() time.Duration { return 32 * p.Retry }

// end reports an event that ends the record, sent or over, with
// the record or the error that waiters get. If the record has ended before, end
// returns when that end was announced.
func (x *Presentation) end(e event, rec desk.Record, err error) {
	p := x.p
	p.mu.Lock()
	do, closed := x.on(e), x.state.closed()
	if do != announce && do != withdraw {
		p.mu.Unlock()
		if closed {
			<-x.ended
		}
		return
	}
	place := x.dropForm()
	p.mu.Unlock()
	if place != nil {
		place.Leave()
	}

	p.mu.Lock()
	x.outcome, x.err = rec, err
	close(x.ended)
	x.signal()
	x.keys = nil
	if x.clock != nil {
		x.clock.Stop()
	}
	p.mu.Unlock()
	x.cancel(x.cause())
	if do == withdraw {
		x.withdrawSurfaces(x.cause())
	}
}

// cause is why the record no longer needs its surfaces. The end must have been
// announced.
func (x *Presentation) cause() error {
	if x.err != nil {
		return x.err
	}
	return &desk.ClosedError{ID: x.rec.ID, Outcome: *x.outcome.Outcome}
}

// store ends the record with an outcome, or with the reply in it and the evidence
// of its answerer. It tries again until the outcome is stored or the record has
// ended otherwise.
func (x *Presentation) store(o desk.Outcome, from desk.Evidence) {
	d, ctx := x.p.Desk, context.Background()
	o.At = time.Now()
	put := func() (desk.Record, error) { return d.Close(ctx, x.rec.ID, o) }
	if o.Reply != nil {
		o.Status = desk.StatusOf(*o.Reply) // for the log
		put = func() (desk.Record, error) { return d.Reply(ctx, x.rec.ID, *o.Reply, from) }
	}
	x.p.repeat(func() bool {
		rec, err := put()
		switch {
		case isEnd(err):
			x.end(over, rec, nil)
		case errors.Is(err, desk.ErrNotFound), errors.Is(err, desk.ErrNewer), isRefused(err):
			x.end(over, desk.Record{}, err)
		case errors.Is(err, desk.ErrDenied): // the user has reopened it on a shared desk: it is theirs, and stays open
			x.p.Log.Warn("may not end a question", "id", x.rec.ID, "status", o.Status, "error", err)
		default:
			x.p.Log.Error("cannot store the outcome of a question; trying again", "id", x.rec.ID, "status", o.Status,
				"error", err)
			return false
		}
		return true
	})
}

// isRefused reports whether an error of [desk.Desk.Reply] says that the reply can never
// be stored.
func isRefused(err error) bool {
	return errors.As(err, new(question.Violations)) || errors.Is(err, desk.ErrUserRequired) ||
		errors.Is(err, desk.ErrProofRequired)
}
