package present

import (
	"context"
	"errors"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// settleReply ends the record with what the human did, settle without a human.
// Both repeat it until it is stored, or the record has ended otherwise. Calls
// that have waited for that as long as Options.Patience says get the end all
// the same: what the human said is not lost with a full disk.
func (x *Presentation) settleReply(r question.Reply, from desk.Evidence) {
	o := desk.Outcome{Status: desk.StatusOf(r), Reply: &r, Surface: from.Surface, Answerer: x.p.Desk.Answerer(from, x.rec.Asker), At: time.Now()}
	x.repeat(o, func() (desk.Record, error) {
		return x.p.Desk.Reply(context.Background(), x.rec.ID, r, from)
	})
}

func (x *Presentation) settle(o desk.Outcome) {
	o.At = time.Now()
	x.repeat(o, func() (desk.Record, error) { return x.p.Desk.Close(context.Background(), x.rec.ID, o) })
}

// repeat stores the outcome o, again and again.
func (x *Presentation) repeat(o desk.Outcome, store func() (desk.Record, error)) {
	began := time.Now()
	for pause := x.p.pauses(); ; {
		rec, err := store()
		switch {
		case isEnd(err):
			x.stored(rec)
			return
		case errors.Is(err, desk.ErrNotFound), refused(err):
			x.finish(desk.Record{}, err)
			return
		}
		x.p.Log.Error("the end of a question is not stored; trying again", "id", x.rec.ID, "status", o.Status, "error", err)
		if time.Since(began) >= x.p.Patience {
			x.handOut(o)
		}
		if !pause(x.p.ctx.Done()) { // the process is about to end
			if rec, err = store(); isEnd(err) {
				x.stored(rec)
			}
			return
		}
	}
}

// refused reports whether an error of desk.Reply says that the reply can never be
// stored.
func refused(err error) bool {
	return errors.As(err, new(question.Violations)) || errors.Is(err, desk.ErrUserRequired)
}

// handOut gives the calls that wait an end that is not stored.
func (x *Presentation) handOut(o desk.Outcome) {
	x.mu.Lock()
	x.unstored = x.unstored || !x.over()
	x.mu.Unlock()
	rec := x.rec
	rec.State, rec.Outcome = o.Status, &o
	x.finish(rec, nil)
}

// stored notes that the end is on disk.
func (x *Presentation) stored(rec desk.Record) {
	x.finish(rec, nil)
	x.mu.Lock()
	x.unstored = false
	told := x.told
	x.mu.Unlock()
	if told {
		x.delivered(rec)
	}
}

// pauses returns a function that pauses, each time for longer, and reports
// false where end was closed first.
func (p *Presenter) pauses() func(end <-chan struct{}) bool {
	next := p.Retry
	return func(end <-chan struct{}) bool {
		over := time.After(next)
		next = min(2*next, 32*p.Retry)
		select {
		case <-over:
			return true
		case <-end:
			return false
		}
	}
}
