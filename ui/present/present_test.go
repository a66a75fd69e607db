package present_test

import (
	"cmp"
	"context"
	"errors"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// The first surface that reaches the user decides. One that fails, or panics, ends the search: the user
// may have seen the question. An interrupt ends it as its command says.
func TestSurfaces(t *testing.T) {
	fails := func(name string, show func() error) ui.Surface {
		return surface{name, func(context.Context, desk.Record, ui.Commit) error { return show() }}
	}
	breaks := fails("tty", func() error { return ui.ErrInterrupted })
	for _, tt := range []struct {
		surfaces    []ui.Surface
		interrupted desk.Status
		want        desk.Status
		reason      string // or the surface that was answered
	}{
		{[]ui.Surface{refuses("one", "no form"), answers("two", "b"), answers("three", "a")}, "", desk.Answered, "two"},
		{[]ui.Surface{refuses("one", "no form"), refuses("two", "no terminal")}, "", desk.Unavailable,
			"one: no form; two: no terminal"},
		{[]ui.Surface{fails("one", func() error { return errors.New("broken") }), answers("two", "a")}, "", desk.Failed,
			"broken"},
		{[]ui.Surface{fails("one", func() error { panic("burst") }), answers("two", "a")}, "", desk.Failed,
			"the surface one broke: burst"},
		{[]ui.Surface{breaks, answers("two", "a")}, desk.Dismissed, desk.Dismissed, ""},
		{[]ui.Surface{breaks, answers("two", "a")}, desk.Cancelled, desk.Cancelled, ""},
	} {
		r := newRig(t)
		w := r.askFor(present.Question{Request: request(), Surfaces: on(tt.surfaces...), Interrupted: tt.interrupted})
		rec := r.end(w)
		got := cmp.Or(rec.Outcome.Reason, rec.Outcome.Surface)
		if rec.State != tt.want || tt.reason != "" && got != tt.reason {
			t.Errorf("the end is %+v, want %s %s", rec.Outcome, tt.want, tt.reason)
		}
		if tt.want == desk.Unavailable {
			waittest.Take(t, w.Unshown())
			if why := w.UnshownReason(); !errors.Is(why, ui.ErrUnavailable) || why.Error() != tt.reason {
				t.Errorf("why: %v", why)
			}
		}
	}
}

// An answer given elsewhere withdraws the surface, and says who was first, in
// time and to one who answers too late. A surface that goes as the record ends, as a pane does
// with its process, has not failed.
func TestAnsweredElsewhere(t *testing.T) {
	for _, leaves := range []func(context.Context) error{
		context.Cause, func(context.Context) error { return ui.Unavailablef("the pane was closed") },
	} {
		r := newRig(t)
		late := make(chan error, 2)
		shown := make(chan struct{})
		w := r.ask(surface{"one", func(ctx context.Context, _ desk.Record, commit ui.Commit) error {
			close(shown)
			<-ctx.Done()
			late <- context.Cause(ctx)
			late <- commit(reply("b"))
			return leaves(ctx)
		}})
		waittest.Take(t, shown)
		r.elsewhere(w.Record().ID, "a")
		r.ends("answered inbox A", w)
		if waittest.Take(t, w.Unshown()); w.UnshownReason() != nil {
			t.Errorf("no surface shows it because %v", w.UnshownReason())
		}
		for _, err := range waittest.TakeAll(t, late, 2) {
			var closed *desk.ClosedError
			if !errors.As(err, &closed) || closed.Outcome.Surface != "inbox" {
				t.Errorf("it was told %v", err)
			}
		}
	}
}

// A surface is not withdrawn by its own reply: it has something to say still.
func TestOwnReplyDoesNotWithdraw(t *testing.T) {
	for range 5 {
		r := newRig(t)
		w := make(chan *present.Waiter, 1)
		after := make(chan error, 1)
		w <- r.ask(surface{"one", func(ctx context.Context, rec desk.Record, commit ui.Commit) error {
			if err := commit(reply("a")); err != nil {
				return err
			}
			if _, err := r.desk.Wait(ctx, rec.ID); err != nil { // by now the news has arrived
				return err
			}
			x := <-w
			<-x.Ended()
			after <- ctx.Err()
			return nil
		}})
		fatal.If(t, waittest.Take(t, after))
	}
}

// A surface that is sending when the record ends elsewhere is withdrawn once its
// reply has lost.
func TestEndsWhileSending(t *testing.T) {
	r := newRig(t)
	var w *present.Waiter
	asked := make(chan struct{})
	during, after := make(chan error, 1), make(chan error, 1)
	var surfaceCtx context.Context
	r.store.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method != "Answer" {
			return nil
		}
		r.store.Before(nil)
		<-asked
		r.elsewhere(w.Record().ID, "a")
		waittest.Take(t, w.Ended())
		during <- context.Cause(surfaceCtx)
		return nil
	})
	w = r.ask(surface{"one", func(ctx context.Context, _ desk.Record, commit ui.Commit) error {
		surfaceCtx = ctx
		err := commit(reply("b"))
		after <- context.Cause(ctx)
		return err
	}})
	close(asked)
	if err := waittest.Take(t, during); err != nil {
		t.Errorf("withdrawn while it sends: %v", err)
	}
	if closed, ok := errors.AsType[*desk.ClosedError](waittest.Take(t, after)); !ok || closed.Outcome.Surface != "inbox" {
		t.Errorf("withdrawn with %v, want who was first", closed)
	}
	r.ends("answered inbox A", w)
}

// The notification of a record ends with it, also where the surface that has
// answered it stays.
func TestNotificationEndsWithTheRecord(t *testing.T) {
	for _, stays := range []bool{false, true} {
		notified, told := make(chan struct{}), make(chan struct{})
		r := newRig(t, func(o *present.Options) {
			o.Notify = func(ctx context.Context, _ desk.Record) {
				close(notified)
				<-ctx.Done()
				close(told)
			}
		})
		leave := make(chan struct{})
		w := r.ask(surface{"one", func(_ context.Context, _ desk.Record, commit ui.Commit) error {
			<-notified
			if err := commit(reply("a")); err != nil || !stays {
				return err
			}
			<-leave
			return nil
		}})
		r.end(w)
		waittest.Take(t, told)
		close(leave)
		waittest.Take(t, w.Unshown())
	}
}
