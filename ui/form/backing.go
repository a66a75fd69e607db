package form

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Backing is the desk behind the form for one record, the full-screen form or
// any other. Without a desk nothing is kept and nothing known. What the desk
// cannot give, a form does without: none of it is worth keeping a human from
// answering.
type Backing struct {
	Desk *desk.Desk // nil: there is none
	Rec  desk.Record
}

// Draft returns what was typed before, empty where nothing is kept.
func (b Backing) Draft(ctx context.Context) (r question.Reply) {
	if b.Desk != nil {
		r, _, _ = b.Desk.Draft(ctx, b.Rec.ID)
	}
	return r
}

// Save keeps what was typed, also when ctx has ended: then above all. What the
// record has no more use for is no failure.
func (b Backing) Save(ctx context.Context, r question.Reply) error {
	if b.Desk == nil {
		return nil
	}
	err := b.Desk.SaveDraft(context.WithoutCancel(ctx), b.Rec.ID, r)
	if errors.As(err, new(*desk.ClosedError)) {
		return nil
	}
	return err
}

// Deadline returns when the timeout strikes, the zero time for never.
func (b Backing) Deadline(ctx context.Context) (at time.Time) {
	if b.Desk != nil {
		at, _ = b.Desk.Deadline(ctx, b.Rec)
	}
	return at
}

// Attended reports whether the asker waits for the answer, as far as is known.
func (b Backing) Attended(ctx context.Context) bool {
	if b.Desk == nil {
		return true
	}
	rec, err := b.Desk.Get(ctx, b.Rec.ID)
	return err != nil || rec.Attended
}

// More returns how many other questions of the same asker wait.
func (b Backing) More(ctx context.Context) int {
	if b.Desk == nil {
		return 0
	}
	n := 0
	pending, _ := b.Desk.Pending(ctx)
	for _, rec := range pending {
		if rec.ID != b.Rec.ID && rec.Attended && rec.SessionID == b.Rec.SessionID &&
			rec.Asker.Client == b.Rec.Asker.Client && rec.Asker.Directory == b.Rec.Asker.Directory {
			n++
		}
	}
	return n
}

// AtLimit reports whether this round is the last before the limit.
func (b Backing) AtLimit(ctx context.Context) bool {
	if b.Desk == nil {
		return false
	}
	last, err := b.Desk.AtLimit(ctx, b.Rec.SessionID)
	return err == nil && last
}

// Lift lifts the round limit for the session.
func (b Backing) Lift(ctx context.Context) error { return b.Desk.Lift(ctx, b.Rec.SessionID) }

// Remembers reports whether there are earlier rounds to look at.
func (b Backing) Remembers() bool {
	return b.Desk != nil && b.Rec.SessionID != "" && b.Rec.Round > 1
}

// Rounds returns the records of the session, as far as they can be had.
func (b Backing) Rounds(ctx context.Context) []desk.Record {
	rounds, _ := b.Desk.Session(ctx, b.Rec.SessionID)
	return rounds
}

// Memory returns how the human answered the questions before, by question id.
func (b Backing) Memory(ctx context.Context) map[string]desk.Memory {
	if b.Desk == nil {
		return nil
	}
	return b.Desk.Remembered(ctx, b.Rec)
}

// Options are what the form gets from the desk, which is read for them; keep
// takes the drafts.
func (b Backing) Options(ctx context.Context, keep *Draft) (o Options) {
	if b.Desk == nil {
		return o
	}
	typed, unsaved, _ := keep.Unsaved() // first: what is saved meanwhile is read from the desk
	o.Draft, o.Keep, o.Memory = b.Draft(ctx), keep, b.Memory(ctx)
	if unsaved {
		o.Draft = typed
	}
	if b.Remembers() {
		o.Rounds = func() []desk.Record { return b.Rounds(ctx) }
	}
	if b.AtLimit(ctx) {
		o.Lift = func() error { return b.Lift(ctx) }
	}
	return o
}

// Draft is what the human has typed for a record, on its way to the desk: until the
// desk has it, it is here. Its methods may be called from any goroutine.
type Draft struct {
	save   func(question.Reply) error
	saving sync.Mutex // held while save runs

	mu     sync.Mutex // guards what follows
	reply  question.Reply
	number int   // of replies put in
	tried  int   // the number of the last one that was given to save
	err    error // why it was not saved
}

// NewDraft returns an empty draft. Save keeps it, and is never called twice at a
// time.
func NewDraft(save func(question.Reply) error) *Draft { return &Draft{save: save} }

// Put replaces the draft, and returns what saves it. That may take its time, and saves
// nothing that is older than what was saved already.
func (d *Draft) Put(r question.Reply) (save func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reply = r
	d.number++
	mine := d.number
	return func() {
		d.saving.Lock()
		defer d.saving.Unlock()
		d.mu.Lock()
		latest, number, overtaken := d.reply, d.number, mine <= d.tried
		d.mu.Unlock()
		if overtaken {
			return
		}
		err := d.save(latest)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.tried, d.err = number, err
	}
}

// Unsaved returns the draft where it is not saved, and why that failed, if it did.
func (d *Draft) Unsaved() (r question.Reply, unsaved bool, failed error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reply, d.tried < d.number || d.err != nil, d.err
}
