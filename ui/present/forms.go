package present

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
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
	late *Form // what open was when the record ended, if its result may still come
}

// Form is one form on its way to the client and back.
type Form struct {
	Content any         // the surface's own
	late    Late        // nil where nobody wants one
	result  chan filled // holds the first that comes

	// Guarded by Forms.mu:
	secrets map[string]bool // of those with which the client may come back
	sent    time.Time
	filled  bool
	place   *Waiter // of the call that took the form along; nil unless it is with the client
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
	form := &Form{Content: content, late: late, result: make(chan filled, 1), secrets: map[string]bool{}}
	f.mu.Lock()
	f.open = form
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
// with, and cannot be guessed. It is false where the form has its result
// already. A form that was taken before, by a call whose client has lost it,
// gives that call's place up.
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
	form.secrets[secret] = true
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
	p.mu.Lock()
	x := p.open[id]
	if i := slices.IndexFunc(p.late, func(x *Presentation) bool { return x.rec.ID == id }); i >= 0 {
		x = p.late[i]
	}
	p.mu.Unlock()
	if x == nil {
		return nil
	}
	f := &x.forms
	f.mu.Lock()
	form := cmp.Or(f.late, f.open)
	if form == nil || !form.secrets[secret] {
		f.mu.Unlock()
		return nil
	}
	delete(form.secrets, secret)
	took := time.Since(form.sent)
	if form == f.late {
		f.mu.Unlock()
		return x.returnLate(form.late, result, took)
	}
	defer f.mu.Unlock()
	if !form.filled {
		form.filled = true
		form.result <- filled{result, took}
	}
	place := form.place
	form.place = nil
	return place
}

// mostLate is how many records that have ended may have a form with a client at
// once; the first are forgotten where there are more.
const mostLate = 100

// giveUp gives up the place of a form that is with a client when the record
// ends. Its result may come late.
func (f *Forms) giveUp() {
	leave := func() {}
	defer func() { leave() }() // once the lock is free: a store may take its time
	f.mu.Lock()
	defer f.mu.Unlock()
	form := f.open
	if form == nil {
		return
	}
	f.open = nil
	if form.place != nil {
		leave, form.place = form.place.Leave, nil
	}
	if form.late != nil && !form.filled && len(form.secrets) > 0 {
		f.late = form
		p := f.x.p
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.late = append(p.late, f.x); len(p.late) > mostLate {
			p.late = slices.Delete(p.late, 0, 1)
		}
	}
}

// returnLate returns a place at the end of the record, with what came after it
// as the later reply.
func (x *Presentation) returnLate(read Late, result any, took time.Duration) *Waiter {
	<-x.ended
	if x.err != nil {
		return nil
	}
	rec := x.final
	if reply, answers := read(result, took); answers {
		x.mu.Lock()
		surface := x.surface
		x.mu.Unlock()
		rec = x.p.Desk.WithLater(rec, reply, x.evidence(surface))
	}
	return x.p.ended(rec, nil)
}
