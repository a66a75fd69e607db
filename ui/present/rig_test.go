package present_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// surface is what a test makes of one.
type surface struct {
	name string
	show func(ctx context.Context, rec desk.Record, commit ui.Commit) error
}

func (s surface) Name() string { return s.name }

func (s surface) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	return s.show(ctx, rec, commit)
}

func refuses(name, why string) ui.Surface {
	return surface{name, func(context.Context, desk.Record, ui.Commit) error { return ui.Unavailablef("%s", why) }}
}

func answers(name, option string) ui.Surface {
	return surface{name, func(_ context.Context, _ desk.Record, commit ui.Commit) error { return commit(reply(option)) }}
}

// stays is a surface that waits for the end, and what it was told then.
type stays struct {
	name  string
	shown chan struct{} // closed once it is shown
	cause chan error
}

func newStays(name string) *stays { return &stays{name, make(chan struct{}), make(chan error, 1)} }

func (s *stays) Name() string { return s.name }

func (s *stays) Show(ctx context.Context, _ desk.Record, _ ui.Commit) error {
	close(s.shown)
	<-ctx.Done()
	s.cause <- context.Cause(ctx)
	return context.Cause(ctx)
}

func on(surfaces ...ui.Surface) present.Surfaces {
	return func(*present.Presentation) []ui.Surface { return surfaces }
}

func reply(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}

// rig is a presenter over a store that fails on command.
type rig struct {
	*present.Presenter
	t     *testing.T
	desk  *desk.Desk
	store *desktest.Faulty
}

func newRig(t *testing.T, change ...func(*present.Options)) *rig {
	t.Helper()
	f := &desktest.Faulty{Store: desktest.Store(t, t.TempDir())}
	o := present.Options{Desk: desk.New(f, desk.Options{}), Log: slog.New(slog.DiscardHandler), Retry: time.Millisecond}
	for _, c := range change {
		c(&o)
	}
	r := &rig{present.New(o), t, o.Desk, f}
	t.Cleanup(func() { r.Close(errors.New("the test is over")) })
	return r
}

// fails has the calls of a method fail until the store's next Before, and counts them.
func (r *rig) fails(method string, err error) *atomic.Int32 {
	failed := new(atomic.Int32)
	r.store.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method != method {
			return nil
		}
		failed.Add(1)
		return err
	})
	return failed
}

func request() desk.Request {
	return desk.Request{Session: "s", Asker: desk.Asker{Client: "test", Via: "mcp"}, Set: question.Set{Questions: []question.Question{{
		ID: "q1", Text: "Which?", Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}},
	}}}}
}

func (r *rig) ask(surfaces ...ui.Surface) *present.Waiter {
	r.t.Helper()
	return r.askFor(present.Question{Request: request(), Surfaces: on(surfaces...), Interrupted: desk.Dismissed})
}

func (r *rig) askFor(q present.Question) *present.Waiter {
	r.t.Helper()
	w, err := r.Ask(r.t.Context(), q)
	fatal.If(r.t, err)
	return w
}

// end waits for the end of the record.
func (r *rig) end(w *present.Waiter) desk.Record {
	r.t.Helper()
	waittest.Take(r.t, w.Ended())
	rec, err := w.Result()
	fatal.If(r.t, err)
	return rec
}

// elsewhere answers a record in the inbox.
func (r *rig) elsewhere(id, option string) {
	r.t.Helper()
	evidence := desk.Evidence{Surface: "inbox", How: desk.HowPage}
	if _, err := r.desk.Reply(r.t.Context(), id, reply(option), evidence); err != nil {
		r.t.Error(err)
	}
}

// ends fails unless the record of each waiter ends like this.
func (r *rig) ends(want string, waiters ...*present.Waiter) {
	r.t.Helper()
	for _, w := range waiters {
		if got := status(r.end(w)); got != want {
			r.t.Errorf("the end is %s, want %s", got, want)
		}
	}
}

// eventually waits for something that no event reports.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	if !waittest.Until(waittest.Patience, is) {
		t.Fatalf("waited in vain: %s", what)
	}
}

func status(rec desk.Record) string {
	if rec.Outcome == nil {
		return string(rec.State)
	}
	return fmt.Sprintf("%s %s %s", rec.State, rec.Outcome.Surface, rec.Responses()[0].Text())
}
