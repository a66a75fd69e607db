package ui

import (
	"context"
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
	desk *desk.Desk
	log  *slog.Logger
	ctx  context.Context
	stop context.CancelCauseFunc
	wg   sync.WaitGroup
}

// NewPresenter returns a presenter that runs until Close.
func NewPresenter(d *desk.Desk, log *slog.Logger) *Presenter {
	ctx, stop := context.WithCancelCause(context.Background())
	return &Presenter{desk: d, log: log, ctx: ctx, stop: stop}
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
// human, and returns at once. After timeout the record ends as desk.Timeout; 0
// means never. A record should be presented once at a time.
func (p *Presenter) Present(rec desk.Record, timeout time.Duration, surfaces []Surface) *Presentation {
	x := &Presentation{done: make(chan struct{})}
	p.wg.Go(func() {
		x.err = p.run(rec, timeout, surfaces, x)
		close(x.done)
	})
	return x
}

func (p *Presenter) run(rec desk.Record, timeout time.Duration, surfaces []Surface, x *Presentation) error {
	if timeout > 0 {
		timer := time.AfterFunc(timeout, func() {
			_, err := p.desk.Close(p.ctx, rec.ID, desk.Outcome{Status: desk.Timeout, Reason: timeout.String()})
			if err != nil {
				p.log.Info("timeout came too late", "id", rec.ID, "error", err)
			}
		})
		defer timer.Stop()
	}
	return Show(p.ctx, p.desk, rec, surfaces, p.log, func(name string) { x.surface.Store(&name) })
}

// Close withdraws everything that is shown, with cause as the reason, and
// waits until the surfaces have cleaned up behind them. The records stay
// pending.
func (p *Presenter) Close(cause error) {
	p.stop(cause)
	p.wg.Wait()
}
