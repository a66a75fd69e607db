package ui

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mcp-askuser/desk"
)

// Presenter keeps records in front of the human in the background, longer
// than the call that asked may wait, and ends a record whose time is up. It is
// safe for concurrent use.
type Presenter struct {
	options PresenterOptions
	ctx     context.Context
	stop    context.CancelCauseFunc
	wg      sync.WaitGroup
}

// PresenterOptions are what a presenter needs.
type PresenterOptions struct {
	Desk *desk.Desk
	Log  *slog.Logger
	// Notify tells the human that the record waits, until ctx ends. Nil tells
	// nobody.
	Notify func(ctx context.Context, rec desk.Record)
	// TakeDefaults lets a timeout take the declared defaults of a question
	// whose caller asked for that too (DESIGN, promise 1; D14).
	TakeDefaults bool
}

// NewPresenter returns a presenter that runs until Close.
func NewPresenter(o PresenterOptions) *Presenter {
	ctx, stop := context.WithCancelCause(context.Background())
	return &Presenter{options: o, ctx: ctx, stop: stop}
}

// Presentation is one record in front of the human.
type Presentation struct {
	done    chan struct{}
	err     error // set before done is closed
	surface atomic.Pointer[string]
}

// Done is closed when the record has ended or no surface shows it any more.
func (p *Presentation) Done() <-chan struct{} { return p.done }

// Err says, after Done, why the presentation ended; see [Show].
func (p *Presentation) Err() error { return p.err }

// Surface is the name of the surface that is being tried or shows the record,
// empty before the first.
func (p *Presentation) Surface() string {
	if s := p.surface.Load(); s != nil {
		return *s
	}
	return ""
}

// Present shows the record on the first of the surfaces that reaches the
// human, and returns at once. A record should be presented once at a time.
func (p *Presenter) Present(rec desk.Record, surfaces []Surface) *Presentation {
	x := &Presentation{done: make(chan struct{})}
	p.wg.Go(func() {
		x.err = p.run(rec, surfaces, x)
		close(x.done)
	})
	return x
}

func (p *Presenter) run(rec desk.Record, surfaces []Surface, x *Presentation) error {
	ctx, cancel := context.WithCancelCause(p.ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel(nil)
	if rec.Timeout > 0 {
		beside.Go(func() { p.watchClock(ctx, rec) })
	}
	if p.options.Notify != nil {
		beside.Go(func() { p.options.Notify(ctx, rec) })
	}
	return Show(ctx, p.options.Desk, rec, surfaces, p.options.Log, func(tried []desk.Showing) {
		if len(tried) > 0 {
			x.surface.Store(&tried[len(tried)-1].Surface)
		}
		// The asker's surfaces are kept with the record: whoever looks at it
		// elsewhere sees where else it is (D22).
		if err := p.options.Desk.SetShown(ctx, rec.ID, tried); err != nil {
			p.options.Log.InfoContext(ctx, "where it is shown is not kept", "id", rec.ID, "error", err)
		}
	})
}

// watchClock ends the record when its time is up. Work on it moves the
// deadline; that is seen when the old one has passed.
func (p *Presenter) watchClock(ctx context.Context, rec desk.Record) {
	for {
		at, ok := p.options.Desk.Deadline(ctx, rec)
		left := time.Until(at)
		if !ok {
			return
		}
		if left <= 0 {
			break
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
	err := p.timeOut(ctx, rec)
	var closed *desk.ClosedError
	if err != nil && !errors.As(err, &closed) {
		p.options.Log.ErrorContext(ctx, "the timeout was not kept", "id", rec.ID, "error", err)
	}
}

// timeOut ends a record that nobody answered: without an answer, unless caller
// and configuration both want the defaults and every required question has one.
func (p *Presenter) timeOut(ctx context.Context, rec desk.Record) error {
	if rec.OnTimeout == desk.OnTimeoutDefault && p.options.TakeDefaults {
		if r, ok := rec.DefaultReply(); ok {
			_, err := p.options.Desk.Reply(ctx, rec.ID, r, "timeout")
			return err
		}
	}
	waited := time.Duration(rec.Timeout * float64(time.Second))
	_, err := p.options.Desk.Close(ctx, rec.ID, desk.Outcome{Status: desk.Timeout, Reason: waited.String()})
	return err
}

// Close withdraws everything that is shown, with cause as the reason, and
// waits until the surfaces have cleaned up behind them. The records stay
// pending.
func (p *Presenter) Close(cause error) {
	p.stop(cause)
	p.wg.Wait()
}
