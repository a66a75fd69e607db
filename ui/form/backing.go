package form

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Backing is the desk behind a form for one record. Without a desk nothing is kept and
// nothing known. Errors of reading are none of the form's: it does without.
type Backing struct {
	Desk *desk.Desk // nil: there is none
	Rec  desk.Record
}

// Save keeps what was typed, also when ctx has ended. That the record has ended is no
// error.
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

// Status is the message that says how it is with the record now. The host ends the record; the
// form only shows this.
type Status struct {
	Deadline time.Time // when its timeout strikes; zero for never
	Attended bool      // the asker waits; else an answer is kept until it asks again
	Waiting  int       // so many other questions of the same asker wait
}

// Status returns the status of the record, as far as it is known.
func (b Backing) Status(ctx context.Context) Status {
	s := Status{Attended: true}
	if b.Desk == nil {
		return s
	}
	rec, err := b.Desk.Get(ctx, b.Rec.ID)
	if err == nil {
		rec.Timeout = b.Rec.Timeout // that of the asker who waits
		s.Deadline, s.Attended = rec.Deadline(), rec.Attended
	}
	pending, _ := b.Desk.Pending(ctx)
	for _, rec := range pending {
		if rec.ID != b.Rec.ID && rec.Attended && rec.SessionID == b.Rec.SessionID &&
			rec.Asker.Client == b.Rec.Asker.Client && rec.Asker.Directory == b.Rec.Asker.Directory {
			s.Waiting++
		}
	}
	return s
}

// Saver saves drafts one after the other, as a store may be slow: none takes the place of a later one.
type Saver struct {
	mu    sync.Mutex
	saved map[string]int // the last edition of each record's
}

// Save saves a draft of a record, unless a later edition is saved.
func (s *Saver) Save(id string, edition int, save func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saved[id] > edition {
		return nil
	}
	err := save()
	if err == nil {
		if s.saved == nil {
			s.saved = map[string]int{}
		}
		s.saved[id] = edition
	}
	return err
}

// Known returns what the user typed before, and how they answered the questions before, by
// question id.
func (b Backing) Known(ctx context.Context) (draft question.Reply, memory map[string]desk.Memory) {
	if b.Desk == nil {
		return draft, nil
	}
	draft, _, _ = b.Desk.Draft(ctx, b.Rec.ID)
	return draft, b.Desk.Remembered(ctx, b.Rec)
}

// Options are what the form gets from the desk, which is read for them.
func (b Backing) Options(ctx context.Context) (o Options) {
	if b.Desk == nil {
		return o
	}
	o.Draft, o.Memory = b.Known(ctx)
	o.signs = b.Desk.RequiresProof(&b.Rec)
	o.Save = func(r question.Reply) error { return b.Save(ctx, r) }
	o.Rounds = func() []desk.Record {
		session, _ := b.Desk.Session(ctx, b.Rec.SessionID) // as far as it can be read
		slices.Reverse(session)
		return slices.DeleteFunc(session, func(r desk.Record) bool { return r.Round >= b.Rec.Round })
	}
	if b.Rec.LastRound {
		o.Lift = func() error { return b.Desk.Lift(ctx, b.Rec.SessionID) }
	}
	return o
}
