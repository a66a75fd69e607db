package present

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
)

// Options are what a presenter needs. Desk is required.
type Options struct {
	Desk *desk.Desk
	Log  *slog.Logger // nil: silent
	// Notify notifies the user that a record was asked here, until ctx ends with
	// the record. Nil disables notification.
	Notify func(ctx context.Context, rec desk.Record)
	// TakeDefaults lets a timeout take the declared defaults of a question
	// whose caller asked for that too.
	TakeDefaults bool

	// Retry is the first pause before a failed operation is repeated. Each
	// further pause is twice as long, up to 32 times. 0 is 50 ms.
	Retry time.Duration
	Now   func() time.Time // time.Now if nil
}

// Presenter has the open questions of a process. It is safe for concurrent use.
type Presenter struct {
	Options
	ctx        context.Context
	stop       context.CancelCauseFunc
	running    sync.WaitGroup // presentations
	background sync.WaitGroup // work that no waiter waits for
	asking     ui.Lock        // one call at a time asks or returns for a question: another may ask the same

	mu     sync.Mutex
	closed bool                     // no background work begins
	open   map[string]*Presentation // by record id
}

// askedKey identifies what is asked in a session. The same question in the same
// session joins the presentation of the first.
type askedKey struct{ session, content string }

// New returns a presenter that runs until Close.
func New(o Options) *Presenter {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Retry = cmp.Or(o.Retry, 50*time.Millisecond)
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Presenter{
		Options: o,
		open:    map[string]*Presentation{},
		asking:  ui.NewLock(),
	}
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	return p
}

// Hide withdraws all questions from their surfaces, with cause as the reason, and returns
// when the surfaces have cleaned up. Records stay open.
func (p *Presenter) Hide(cause error) {
	p.stop(cause)
	p.running.Wait()
}

// Close is Hide, and returns when notifications have ended too. What could
// not be stored, or marked as delivered, is tried once more.
func (p *Presenter) Close(cause error) {
	p.Hide(cause)
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.background.Wait()
}

// runBackground runs f beside the caller. After Close, which a transport that still writes a response
// can outlast, it does nothing: the process ends.
func (p *Presenter) runBackground(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.background.Go(f)
	}
}

// Question is what an asker wants to know, and how it can be shown.
type Question struct {
	desk.Request
	Surfaces Surfaces
	// KeepOpen keeps the record open where no surface reaches the user, because the
	// caller tells them itself. Otherwise the record ends as unavailable.
	KeepOpen bool
	// Interrupted is what Ctrl+C on a surface means: desk.Dismissed, or
	// desk.Cancelled where the asker is the user's own command.
	Interrupted desk.Status
}

// Surfaces returns the surfaces to try, in order. They may keep x to report what
// they find out.
type Surfaces func(x *Presentation) []ui.Surface

// Ask puts a question on the desk and in front of the user, and returns the
// waiter for its end. The caller must call Leave or Delivered on it. The same
// question in the same session joins the open one: the client has lost its way
// to it. A confirmation for which a call waits is not joined: one yes allows one
// action. The desk finds the other duplicates; the errors are those of
// [desk.Desk.Submit].
func (p *Presenter) Ask(ctx context.Context, q Question) (*Waiter, error) {
	if !p.TakeDefaults { // the record says what will happen
		q.OnTimeout = ""
	}
	if q.Unlike() {
		return p.submit(ctx, q)
	}
	release, err := p.asking.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	key := askedKey{q.Session, q.Content()}
	x := p.asks(key, q.Set.Confirms())
	if x != nil {
		w := x.joinOpen(asks, q, nil)
		if w != nil {
			return w, nil
		}
		<-x.ended // its forms no longer keep the record attended
	}
	w, err := p.submit(ctx, q)
	if err == nil {
		w.x.joinedBy(key)
	}
	return w, err
}

// asks returns the open presentation that a call which asks this joins, nil for none.
func (p *Presenter) asks(key askedKey, confirms bool) *Presentation {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.open {
		if slices.Contains(x.keys, key) && !(confirms && x.awaitedBy(awaits)) {
			return x
		}
	}
	return nil
}

// joinedBy has later calls that ask this join the presentation, while it is open.
func (x *Presentation) joinedBy(key askedKey) {
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	if !x.state.closed() && !slices.Contains(x.keys, key) {
		x.keys = append(x.keys, key)
	}
}

func (p *Presenter) submit(ctx context.Context, q Question) (*Waiter, error) {
	rec, attendance, err := p.Desk.Submit(ctx, q.Request)
	if err != nil {
		attendance.Release()
		return nil, err
	}
	x := p.presentation(rec)
	w := x.join(asks, q, attendance)
	if p.Notify != nil && rec.Outcome == nil { // else of an earlier call, not delivered to it
		p.runBackground(func() { p.Notify(x.ctx, x.rec) })
	}
	return w, nil
}

// Get is [desk.Desk.Get]. A record that is open in this process is as it was asked, also while the
// desk does not answer.
func (p *Presenter) Get(ctx context.Context, id string) (desk.Record, error) {
	p.mu.Lock()
	x := p.open[id]
	open := x != nil && !x.state.closed()
	p.mu.Unlock()
	if open {
		return x.rec, nil
	}
	return p.Desk.Get(ctx, id)
}

// Join waits for a record that was asked before, in any process, and shows it
// where no surface does. For a record that was reopened, it waits for the new
// one. Unlike a caller of Ask, this one does not end a record that no surface
// can show. Errors are those of [desk.Desk.Get].
func (p *Presenter) Join(ctx context.Context, id string, surfaces Surfaces) (*Waiter, error) {
	rec, err := p.Get(ctx, id)
	if err == nil && rec.Outcome != nil {
		rec, err = p.Desk.Latest(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	release, err := p.asking.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	w := p.presentation(rec).join(awaits, Question{Surfaces: surfaces}, nil)
	if rec.Content != "" && rec.SessionID != "" { // else no call can ask the same
		w.x.joinedBy(askedKey{rec.SessionID, rec.Content})
	}
	return w, nil
}

// Show is Join for a caller that is not the asker and does not replace it: the
// user who answers, or a program that displays the question.
func (p *Presenter) Show(ctx context.Context, id string, surfaces Surfaces) (*Waiter, error) {
	rec, err := p.Desk.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return p.presentation(rec).join(views, Question{Surfaces: surfaces}, nil), nil
}

// presentation returns the presentation of a record, new if need be. One that has ended has its own.
func (p *Presenter) presentation(rec desk.Record) *Presentation {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := newPresentation(p, rec)
	if rec.Outcome != nil {
		x.state, x.outcome = ended, rec
		close(x.ended)
		return x
	}
	if open := p.open[rec.ID]; open != nil {
		return open
	}
	x.ctx, x.cancel = context.WithCancelCause(p.ctx)
	x.surfaceCtx, x.withdrawSurfaces = context.WithCancelCause(p.ctx)
	p.open[rec.ID] = x
	p.running.Go(x.run)
	return x
}

// isEnd reports whether err says that the record has ended: nil, or a
// *desk.ClosedError.
func isEnd(err error) bool {
	return err == nil || errors.As(err, new(*desk.ClosedError))
}
