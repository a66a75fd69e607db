package present

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"mcp-askuser/question"
)

// Forms joins a surface, which has forms to show, to calls that come and go:
// some clients are reached by the return of a call alone. A call returns with
// the form, and another brings its result.
type Forms struct {
	x *Presentation

	mu   sync.Mutex
	open *Form
	out  map[string]*Form // by secret, while with the client
}

// Form is one form on its way to the client and back.
type Form struct {
	Content any         // the surface's own
	late    Late        // nil where nobody wants one
	result  chan filled // holds the first that comes

	// Guarded by Forms.mu:
	sent   time.Time
	filled bool
	place  *Waiter // of the call that took the form along; nil unless it is with the client
}

type filled struct {
	result any
	took   time.Duration
}

// Late reads the result of a form that came when its record had ended: what the
// human has answered, or that it is no answer.
type Late func(result any, took time.Duration) (question.Reply, bool)

// Show offers a form to the calls that wait for the record, until one that
// took it along is followed by one that brings its result. It returns that,
// and how long the form was with the client; or the cause of ctx's end. Late is
// for a result that comes after that; it may be nil.
func (f *Forms) Show(ctx context.Context, content any, late Late) (result any, took time.Duration, err error) {
	form := &Form{Content: content, late: late, result: make(chan filled, 1)}
	f.mu.Lock()
	f.open, f.out = form, map[string]*Form{}
	f.mu.Unlock()
	f.x.stir()
	select {
	case r := <-form.result:
		return r.result, r.took, nil
	case <-ctx.Done():
		return nil, 0, context.Cause(ctx)
	}
}

// Form is the form that is to be taken to the client, nil where there is none;
// see Take.
func (w *Waiter) Form() *Form {
	f := &w.x.forms
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil || f.open.filled || w.x.ctx.Err() != nil {
		return nil
	}
	return f.open
}

// Take gives the call's place to the form that it takes along: the form waits
// now, and the call must not. The secret is for the client alone, to come back
// with, and cannot be guessed. It is false where the form has its result already. A form
// that was taken before, by a call whose client has lost it, gives that call's
// place up.
func (w *Waiter) Take(form *Form) (secret string, ok bool) {
	f := &w.x.forms
	f.mu.Lock()
	if form.filled || form != f.open {
		f.mu.Unlock()
		return "", false
	}
	lost := form.place
	secret = rand.Text()
	form.place, form.sent = w, time.Now()
	f.out[secret] = form
	f.mu.Unlock()
	if lost != nil {
		lost.Leave()
	}
	return secret, true
}

// Return takes the result of a form from the call that brings it, nil for none,
// to the surface, and returns the place that the form has kept; or, where the
// record has ended meanwhile, a place at its end, with what the human answered
// in the form as the later reply. It is nil where no form waits under this id
// and secret: they are the client's word.
func (p *Presenter) Return(id, secret string, result any) *Waiter {
	x := p.opened(id)
	if x == nil {
		return p.returnLate(secret, result)
	}
	f := &x.forms
	f.mu.Lock()
	defer f.mu.Unlock()
	form := f.out[secret]
	delete(f.out, secret)
	if form == nil {
		return p.returnLate(secret, result)
	}
	if form == f.open && !form.filled {
		form.filled = true
		form.result <- filled{result, time.Since(form.sent)}
	}
	place := form.place
	form.place = nil
	return place
}

// outstanding is a form that is still with a client, though its record has ended.
type outstanding struct {
	*Form
	x *Presentation
}

// mostLate is how many forms may be outstanding at once; the first are forgotten
// where there are more.
const mostLate = 100

func (p *Presenter) keepLate(x *Presentation, forms map[string]*Form) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for secret, form := range forms {
		if form.late == nil || form.filled {
			continue
		}
		p.late[secret] = outstanding{form, x}
		if p.lateOrder = append(p.lateOrder, secret); len(p.lateOrder) > mostLate {
			delete(p.late, p.lateOrder[0])
			p.lateOrder = p.lateOrder[1:]
		}
	}
}

func (p *Presenter) returnLate(secret string, result any) *Waiter {
	p.mu.Lock()
	form, ok := p.late[secret]
	delete(p.late, secret)
	p.mu.Unlock()
	if !ok {
		return nil
	}
	<-form.x.ended
	if form.x.err != nil {
		return nil
	}
	rec := form.x.final
	reply, answers := form.late(result, time.Since(form.sent))
	if answers {
		form.x.mu.Lock()
		surface := form.x.surface
		form.x.mu.Unlock()
		rec = p.Desk.WithLater(rec, reply, surface)
	}
	return p.ended(rec, nil)
}

// giveUp gives up the places of forms that are with a client, and returns these
// by their secrets.
func (f *Forms) giveUp() map[string]*Form {
	f.mu.Lock()
	form, out := f.open, f.out
	var place *Waiter
	if form != nil {
		place, form.place = form.place, nil
	}
	f.open, f.out = nil, nil
	f.mu.Unlock()
	if place != nil {
		place.Leave()
	}
	return out
}
