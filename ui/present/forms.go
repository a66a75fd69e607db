package present

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// Form is one form on its way to the client and back. Some clients are reached
// only by the return of a call: a call returns with the form, and another call
// brings the result.
type Form struct {
	Content any // as the surface made it
	x       *Presentation
	late    Late
	result  chan formResult // holds the first

	// Guarded by Presenter.mu:
	secrets map[string]bool // with which the client may return
	sent    time.Time
	filled  bool
	place   *Waiter // of the call that took the form to the client; nil unless it is there
}

type formResult struct {
	content any
	took    time.Duration
}

// Late reads the result of a form that arrives after the end of its record: the
// user's reply, or false if it is none.
type Late func(result any, took time.Duration) (question.Reply, bool)

// maxLate is how many records that have ended may have a form with a client. The
// oldest are forgotten where there are more.
const maxLate = 100

// ShowForm offers a form to the waiters, until one that took it along is followed
// by a call that brings the result. It returns the result, and how long the form
// was with the client; or the cause of ctx's end. Late reads a result that arrives
// after that; it may be nil.
func (x *Presentation) ShowForm(ctx context.Context, content any, late Late) (result any, took time.Duration, err error) {
	form := &Form{Content: content, x: x, late: late, result: make(chan formResult, 1), secrets: map[string]bool{}}
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
	if x.form == nil || x.form.filled || x.state.closed() {
		return nil
	}
	return x.form
}

// Take gives the waiter to the form that the call takes along: the form keeps
// the record attended, and the call must not use its waiter any more. The
// secret is for the client alone, to return with. It is false if the form has
// its result or is no longer offered. If an earlier call took the form, its
// client has lost it: that call's waiter leaves.
func (w *Waiter) Take(form *Form) (secret string, ok bool) {
	p := w.x.p
	p.mu.Lock()
	if form.filled || form != w.x.form {
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
// the waiter that the form has kept. If the record has ended, it returns a new
// waiter, with the reply from the form as the later one. It returns nil if no
// form has this id and secret, which are the client's claim.
func (p *Presenter) Return(id, secret string, result any) *Waiter {
	p.mu.Lock()
	form := p.form(id)
	if form == nil || !form.secrets[secret] {
		p.mu.Unlock()
		return nil
	}
	delete(form.secrets, secret)
	took := time.Since(form.sent)
	if form.x.state.closed() {
		p.mu.Unlock()
		return form.returnLate(result, took)
	}
	defer p.mu.Unlock()
	if !form.filled {
		form.filled = true
		form.result <- formResult{result, took}
	}
	place := form.place
	form.place = nil
	return place
}

// form returns the form of a record that may be with a client. Callers must hold
// p.mu.
func (p *Presenter) form(id string) *Form {
	if i := slices.IndexFunc(p.late, func(f *Form) bool { return f.x.rec.ID == id }); i >= 0 {
		return p.late[i]
	}
	if x := p.open[id]; x != nil {
		return x.form
	}
	return nil
}

// dropForm takes back the form of a record that has ended, and returns the
// waiter that it has kept, if any. Its result may come late. Callers must hold
// p.mu.
func (x *Presentation) dropForm() (place *Waiter) {
	form := x.form
	if form == nil {
		return nil
	}
	x.form = nil
	place, form.place = form.place, nil
	if form.late != nil && !form.filled && len(form.secrets) > 0 {
		p := x.p
		if p.late = append(p.late, form); len(p.late) > maxLate {
			p.late = slices.Delete(p.late, 0, 1)
		}
	}
	return place
}

// returnLate returns a waiter at the end of the form's record, with a reply that
// arrived after it as the later one.
func (f *Form) returnLate(result any, took time.Duration) *Waiter {
	x := f.x
	<-x.ended
	if x.err != nil {
		return nil
	}
	rec := x.outcome
	if reply, ok := f.late(result, took); ok {
		x.p.mu.Lock()
		evidence := ui.Evidence(x.surface, x.owned)
		x.p.mu.Unlock()
		kept, err := x.p.Desk.KeepLater(context.Background(), rec, reply, evidence)
		if err != nil {
			x.p.Log.Warn("a later reply is told to its asker, and not kept", "id", rec.ID, "error", err)
		}
		rec = kept
	}
	return x.p.endedWaiter(rec, nil)
}
