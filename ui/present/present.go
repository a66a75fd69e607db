// Package present owns every question that is open in this process. Whoever
// asks one, comes back for it or shows it gets to the one [Presentation] of its
// record. That has the surfaces, the clock, the attendance and the one wait on
// the desk, hands the end to every call that waits, keeps the form of a client
// that must come back for it, and repeats what could not be stored.
//
// A presentation has two goroutines: one waits on the desk, one is with the
// surfaces. They end with the record, or with the presenter.
//
// The package may import ui, desk and question. It must not know any particular
// surface, any protocol, nor what a result looks like.
package present

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
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
	// Notify tells the human that a record was asked here, until ctx ends. Nil
	// tells nobody.
	Notify func(ctx context.Context, rec desk.Record)
	// TakeDefaults lets a timeout take the declared defaults of a question
	// whose caller asked for that too.
	TakeDefaults bool

	// Room is how many questions may be open here at once, 0 for any number:
	// each takes two open files. Further ones wait, in the order in which they
	// come, for others to end.
	Room int

	// Patience is how long calls wait for an end that cannot be stored before
	// they get it as it is; 0 is 10 s.
	Patience time.Duration
	// Retry is the first pause before what failed is tried again; each further
	// one is twice as long, up to 32 times. 0 is 50 ms.
	Retry time.Duration
}

// Presenter has the open questions of a process. It is safe for concurrent use.
type Presenter struct {
	Options
	ctx        context.Context
	stop       context.CancelCauseFunc
	showing    sync.WaitGroup // presentations
	background sync.WaitGroup // what is done behind results that were delivered
	archiving  sync.Mutex
	room       chan struct{} // holds one token for each presentation
	full       sync.Once
	over       bool // nothing goes on in the background any more

	mu     sync.Mutex
	open   map[string]*Presentation   // by record id
	lines  map[string][]*Presentation // those on a surface, by its name, in order
	asking map[string]*asking         // by session and content
	late   []*Presentation            // those that have ended with a form at a client, the first first
}

// asking is a question on its way to the desk, or open on it. Who asks the same
// in the same session joins it.
type asking struct {
	key    string
	placed chan struct{} // closed when the desk has the question, or has refused it
	x      *Presentation // set before that; nil where there is nothing to join
}

// New returns a presenter that runs until Close.
func New(o Options) *Presenter {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Patience = cmp.Or(o.Patience, 10*time.Second)
	o.Retry = cmp.Or(o.Retry, 50*time.Millisecond)
	ctx, stop := context.WithCancelCause(context.Background())
	p := &Presenter{Options: o, ctx: ctx, stop: stop, open: map[string]*Presentation{}, lines: map[string][]*Presentation{}, asking: map[string]*asking{}}
	p.room = make(chan struct{}, cmp.Or(o.Room, math.MaxInt)) // tokens take no memory
	return p
}

// enter waits for room for one more presentation.
func (p *Presenter) enter(ctx context.Context) error {
	select {
	case p.room <- struct{}{}:
		return nil
	default:
	}
	p.full.Do(func() {
		p.Log.Warn("more questions wait than this process may have open files for; further ones are asked as others end (ulimit -n says how many files)", "open", p.Room)
	})
	select {
	case p.room <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}

// leave gives up what enter has taken.
func (p *Presenter) leave() { <-p.room }

// Close withdraws what is shown, with cause as the reason, and returns when the
// surfaces have cleaned up behind them. Records stay open. What could not be
// stored is tried once more; what was delivered may be archived later, by
// anyone.
func (p *Presenter) Close(cause error) {
	p.stop(cause)
	p.showing.Wait()
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.background.Wait()
}

// aside does something behind a result that was delivered. A transport may still
// be writing while the presenter closes: then it is done at once.
func (p *Presenter) aside(do func()) {
	p.mu.Lock()
	over := p.over
	if !over {
		p.background.Go(do)
	}
	p.mu.Unlock()
	if over {
		do()
	}
}

// Flush returns when what was delivered has been put away.
func (p *Presenter) Flush() { p.background.Wait() }

// Question is what an asker wants to know, and how it can be shown.
type Question struct {
	desk.Request
	Surfaces Surfaces
	// Stays keeps the record open where no surface reaches the human: somebody
	// will tell them. Otherwise it ends as unavailable.
	Stays bool
	// Interrupted is what it means that the human breaks a surface off with
	// Ctrl+C: desk.Dismissed, or desk.Cancelled where the asker is the human's own
	// command.
	Interrupted desk.Status
}

// Surfaces returns the surfaces to try, in order. They may keep x to tell it
// what they find out.
type Surfaces func(x *Presentation) []ui.Surface

// Ask puts a question on the desk and in front of the human, and returns the
// place of the call that waits for its end. It must be left, or delivered. The
// same content in the same session joins the question that is open: the client
// has lost its way to it. What else is asked again, and the errors, are those
// of [desk.Desk.Submit].
func (p *Presenter) Ask(ctx context.Context, q Question) (*Waiter, error) {
	key := askingKey(q.Session, q.Content())
	if q.Unlike() {
		key = rand.Text()
	}
	for {
		p.mu.Lock()
		first := p.asking[key]
		if first == nil {
			first = &asking{key: key, placed: make(chan struct{})}
			p.asking[key] = first
			p.mu.Unlock()
			return p.submit(ctx, q, first)
		}
		p.mu.Unlock()
		select {
		case <-first.placed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if first.x != nil {
			first.x.askedBy(&q)
			if w := first.x.join(role{asks: true, awaits: true}, q.Surfaces, nil); w != nil {
				return w, nil
			}
			p.forget(first)
		}
		// Refused, or at its end: this one is asked for itself.
	}
}

// submit is Ask for the first.
func (p *Presenter) submit(ctx context.Context, q Question, a *asking) (*Waiter, error) {
	defer close(a.placed)
	if err := p.enter(ctx); err != nil {
		p.forget(a)
		return nil, err
	}
	rec, attendance, err := p.Desk.Submit(ctx, q.Request)
	if err != nil || rec.Outcome != nil {
		p.forget(a)
		p.leave()
	}
	if err != nil {
		attendance.Release()
		return nil, err
	}
	if rec.Outcome != nil { // of an earlier call that did not get to it
		return p.ended(rec, attendance), nil
	}
	x := p.presentation(rec, a)
	x.askedBy(&q)
	w := x.join(role{asks: true, awaits: true}, q.Surfaces, attendance)
	if w == nil { // in this very moment
		p.forget(a)
		return x.seat(attendance), nil
	}
	a.x = x
	if p.Notify != nil {
		x.begin(func() { p.Notify(x.ctx, x.rec) })
	}
	return w, nil
}

// Join waits for a record that was asked before, in whatever process, and shows
// it where no surface does; where it has ended and was reopened, for the record
// that stands in its place. Unlike one who asks, a call that joins does not end
// a record that nobody can be shown. Errors are those of [desk.Desk.Get].
func (p *Presenter) Join(ctx context.Context, id string, surfaces Surfaces) (*Waiter, error) {
	rec, err := p.Desk.Latest(ctx, id)
	return p.rejoin(ctx, rec, err, role{awaits: true}, surfaces)
}

// Show is Join for one who is not the asker, nor keeps it away: the human who
// answers, or a program that looks on.
func (p *Presenter) Show(ctx context.Context, id string, surfaces Surfaces) (*Waiter, error) {
	rec, err := p.Desk.Get(ctx, id)
	return p.rejoin(ctx, rec, err, role{}, surfaces)
}

func (p *Presenter) rejoin(ctx context.Context, rec desk.Record, err error, as role, surfaces Surfaces) (*Waiter, error) {
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	x := p.open[rec.ID]
	p.mu.Unlock()
	switch {
	case x != nil: // perhaps with an end that is not stored
	case rec.Outcome != nil:
		return p.ended(rec, nil), nil
	default:
		if err := p.enter(ctx); err != nil {
			return nil, err
		}
		x = p.presentation(rec, nil)
		if as.awaits && rec.Content != "" && rec.SessionID != "" {
			as.awaits = p.awaited(x)
		}
	}
	if w := x.join(as, surfaces, nil); w != nil {
		return w, nil
	}
	return x.seat(nil), nil
}

// ended is the place of a call that finds the end of its record.
func (p *Presenter) ended(rec desk.Record, attendance *desk.Attendance) *Waiter {
	x := newPresentation(p, rec)
	x.final = rec
	x.prepareMark(rec)
	close(x.ended)
	return x.seat(attendance)
}

// seat is the place of a call that comes when the end is known.
func (x *Presentation) seat(attendance *desk.Attendance) *Waiter {
	x.mu.Lock()
	x.askers++
	x.waiting++
	x.mu.Unlock()
	x.hold(attendance)
	return newWaiter(x, role{asks: true, awaits: true})
}

// presentation returns that of an open record, and begins it where there is
// none. It gets the caller's room. By a, if it is one, others who ask the same
// find it.
func (p *Presenter) presentation(rec desk.Record, a *asking) *Presentation {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.open[rec.ID]
	if x == nil {
		x = newPresentation(p, rec)
		p.open[rec.ID] = x
		p.showing.Go(x.run)
	} else {
		p.leave()
	}
	if a != nil {
		x.asking = append(x.asking, a)
	}
	return x
}

// awaited has who asks the same in the same session join a record that a call
// has come back for. It is false where one who asks is on the way to the desk:
// the record is for them to claim, or they would ask beside it.
func (p *Presenter) awaited(x *Presentation) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := &asking{key: askingKey(x.rec.SessionID, x.rec.Content), placed: make(chan struct{}), x: x}
	close(a.placed)
	if other := p.asking[a.key]; other != nil {
		select {
		case <-other.placed:
			return true
		default:
			return false
		}
	}
	if !x.over() {
		p.asking[a.key] = a
		x.asking = append(x.asking, a)
	}
	return true
}

func askingKey(session, content string) string { return session + "\x00" + content }

// askedBy takes over what its asker says of what is to become of the record.
func (x *Presentation) askedBy(q *Question) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.interrupted, x.stays = q.Interrupted, q.Stays
}

// closed takes a presentation out of the books.
func (p *Presenter) closed(x *Presentation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, x.rec.ID)
	p.leaveLine(x)
}

// standIn puts a presentation in the line of the surface that it has come to;
// in none where that could not reach the human.
func (p *Presenter) standIn(x *Presentation, now desk.Showing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaveLine(x)
	if now.Why != "" {
		return
	}
	x.line = now.Surface
	p.lines[x.line] = append(p.lines[x.line], x)
}

// leaveLine takes it out of its line, and tells the next. The lock is held.
func (p *Presenter) leaveLine(x *Presentation) {
	line := p.lines[x.line]
	at := slices.Index(line, x)
	if at < 0 {
		return
	}
	line = slices.Delete(line, at, at+1)
	p.lines[x.line] = line
	if at == 0 && len(line) > 0 {
		line[0].stir()
	}
}

// Behind reports whether an earlier question of this process is on the surface
// that shows the record, or is being tried: some show one at a time.
func (w *Waiter) Behind() bool {
	x := w.x
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	return slices.Index(x.p.lines[x.line], x) > 0
}

// forget has the next who asks the same asked anew.
func (p *Presenter) forget(as ...*asking) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range as {
		if p.asking[a.key] == a {
			delete(p.asking, a.key)
		}
	}
}

// delivered marks a record whose end has reached its asker, at once, and puts
// it away later, one at a time: nobody waits for that.
func (x *Presentation) delivered(rec desk.Record) {
	p := x.p
	if err := x.mark(); err != nil {
		p.Log.Error("a result that was delivered may be delivered again", "id", rec.ID, "error", err)
	}
	p.aside(func() {
		p.archiving.Lock()
		defer p.archiving.Unlock()
		if p.ctx.Err() != nil {
			return
		}
		if err := p.Desk.CollectRecord(context.Background(), rec); err != nil {
			p.Log.Warn("a question that was delivered is not put away", "id", rec.ID, "error", err)
		}
	})
}

// isEnd reports whether err says that the record has ended: nil, or a
// *desk.ClosedError.
func isEnd(err error) bool {
	return err == nil || errors.As(err, new(*desk.ClosedError))
}
