package tty

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
)

// backing is the desk behind the form for one record. The nil one is no desk:
// nothing is kept, nothing is known. What the desk cannot give, a form does
// without: none of it is worth keeping a human from answering.
type backing struct {
	desk *desk.Desk
	rec  desk.Record
}

func newBacking(d *desk.Desk, rec desk.Record) *backing {
	if d == nil {
		return nil
	}
	return &backing{d, rec}
}

// draft returns what was typed before, empty where nothing is kept.
func (b *backing) draft(ctx context.Context) question.Reply {
	if b == nil {
		return question.Reply{}
	}
	r, _, err := b.desk.Draft(ctx, b.rec.ID)
	if err != nil {
		return question.Reply{}
	}
	return r
}

// save keeps what was typed, also when ctx has ended: then above all.
func (b *backing) save(ctx context.Context, r question.Reply) {
	if b != nil {
		_ = b.desk.SaveDraft(context.WithoutCancel(ctx), b.rec.ID, r)
	}
}

// deadline returns when the timeout strikes, the zero time for never.
func (b *backing) deadline(ctx context.Context) time.Time {
	if b == nil {
		return time.Time{}
	}
	at, ok := b.desk.Deadline(ctx, b.rec)
	if !ok {
		return time.Time{}
	}
	return at
}

// attended reports whether somebody waits for the answer, as far as is known.
func (b *backing) attended(ctx context.Context) bool {
	if b == nil {
		return true
	}
	rec, err := b.desk.Get(ctx, b.rec.ID)
	return err != nil || rec.Attended
}

// atLimit reports whether this round is the last before the limit (D9).
func (b *backing) atLimit(ctx context.Context) bool {
	if b == nil || b.rec.SessionID == "" {
		return false
	}
	last, err := b.desk.AtLimit(ctx, b.rec.SessionID)
	return err == nil && last
}

// lift lifts the round limit for the session.
func (b *backing) lift(ctx context.Context) error { return b.desk.Lift(ctx, b.rec.SessionID) }

// remembers reports whether there are earlier rounds to look at.
func (b *backing) remembers() bool {
	return b != nil && b.rec.SessionID != "" && b.rec.Round > 1
}

// rounds returns the records of the session, as far as they can be had.
func (b *backing) rounds(ctx context.Context) []desk.Record {
	rounds, err := b.desk.Session(ctx, b.rec.SessionID)
	if err != nil {
		return nil
	}
	return rounds
}

// options are what the full-screen form gets from the desk. What becomes of the
// deadline is told to news at once: the human is looking.
func (b *backing) options(ctx context.Context, news func(tea.Msg)) []form.Option {
	if b == nil {
		return nil
	}
	out := []form.Option{
		form.WithDraft(b.draft(ctx)),
		form.WithChange(func(r question.Reply) {
			b.save(ctx, r)
			news(form.Deadline{At: b.deadline(ctx)})
		}),
	}
	if b.remembers() {
		out = append(out, form.WithHistory(func() []desk.Record { return b.rounds(ctx) }))
	}
	if b.atLimit(ctx) {
		out = append(out, form.WithLift(func() error { return b.lift(ctx) }))
	}
	return out
}

// follow tells news what the form must know of the record, now and whenever
// something happens to it, until the returned function is called or ctx ends.
func (b *backing) follow(ctx context.Context, news func(tea.Msg)) (stop func()) {
	if b == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.watch(ctx, func(rec desk.Record) {
			news(form.Deadline{At: b.deadline(ctx)})
			news(form.Attention{Attended: rec.Attended})
		})
	}()
	return func() {
		cancel()
		select {
		case <-done:
		case <-time.After(killTime): // the store does not return
		}
	}
}

// watch calls changed with the record as it is, and again whenever something
// but its end happens to it.
func (b *backing) watch(ctx context.Context, changed func(desk.Record)) {
	events, err := b.desk.Watch(ctx)
	if err != nil {
		return
	}
	if rec, err := b.desk.Get(ctx, b.rec.ID); err == nil {
		changed(rec)
	}
	for e := range events {
		if e.Record.ID == b.rec.ID && e.Type != desk.Ended {
			changed(e.Record)
		}
	}
}
