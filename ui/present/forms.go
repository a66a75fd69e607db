package present

import (
	"context"
	"crypto/rand"
	"slices"
	"time"
)

// Form is one form on its way to the client and back. Some clients are reached
// only by the return of a call: a call returns with the form, and another call
// brings the result.
type Form struct {
	Content any // as the surface made it
	x       *Presentation
	result  chan formResult // holds the one

	// Guarded by Presenter.mu:
	secrets map[string]bool // with which the client may return
	sent    time.Time
	place   *Waiter // of the call that took the form to the client; nil unless it is there
}

type formResult struct {
	content any
	took    time.Duration
}

// ShowForm offers a form to the waiters, until one that took it along is followed
// by a call that brings the result. It returns the result, and how long the form
// was with the client; or the cause of ctx's end.
func (x *Presentation) ShowForm(ctx context.Context, content any) (result any, took time.Duration, err error) {
	form := &Form{Content: content, x: x, result: make(chan formResult, 1), secrets: map[string]bool{}}
	x.p.mu.Lock()
	x.form = form
	x.signal()
	x.p.mu.Unlock()
	select {
	case r := <-form.result:
		return r.content, r.took, nil
	case <-ctx.Done():
		return nil, 0, context.Cause(ctx)
	}
}

// Form is the form that the call may take to the client, nil for none; see Take.
func (w *Waiter) Form() *Form {
	x := w.x
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	if x.state.closed() {
		return nil
	}
	return x.form
}

// Take gives the waiter to the form that the call takes along: the form keeps
// the record attended, and the call must not use its waiter any more, but to end
// its waiting where the client does not get the form. The secret is for the client
// alone, to return with. It is false if the form has its result or is no longer
// offered. If an earlier call took the form, its client has lost it: that call's
// waiter leaves.
func (w *Waiter) Take(form *Form) (secret string, ok bool) {
	p := w.x.p
	p.mu.Lock()
	if form != w.x.form {
		p.mu.Unlock()
		return "", false
	}
	lost := form.place
	secret = rand.Text()
	form.place, form.sent = w, time.Now()
	form.secrets[secret] = true
	p.mu.Unlock()
	if lost != nil {
		lost.Leave()
	}
	return secret, true
}

// Return passes the result of a form, nil for none, to its surface, and returns
// the waiter that the form has kept. It returns nil if no form of an open record has this
// id and secret, which are the client's claim.
func (p *Presenter) Return(id, secret string, result any) *Waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.open[id]
	if x == nil || x.form == nil || !x.form.secrets[secret] {
		return nil
	}
	x.form.result <- formResult{result, time.Since(x.form.sent)}
	place := x.dropForm()
	if !slices.Contains(x.waiters, place) { // it has left
		return nil
	}
	return place
}

// dropForm takes back the form, which has its result or whose record has ended, and returns the
// waiter that it has kept, if any. Callers must hold p.mu.
func (x *Presentation) dropForm() (place *Waiter) {
	if x.form != nil {
		place, x.form = x.form.place, nil
	}
	return place
}
