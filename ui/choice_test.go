package ui_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/question"
	"mcp-askuser/ui"
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

func reply(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}

// asked returns a desk with one open question.
func asked(t *testing.T) (*desk.Desk, desk.Record) {
	t.Helper()
	store, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := desk.New(store, desk.Options{})
	set := question.Set{Questions: []question.Question{{ID: "q1", Text: "Which?", Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}}}
	rec, err := d.Ask(t.Context(), set, "", desk.Asker{Client: "test", Via: "mcp"})
	if err != nil {
		t.Fatal(err)
	}
	return d, rec
}

func show(t *testing.T, d *desk.Desk, rec desk.Record, surfaces ...ui.Surface) (tried string, err error) {
	t.Helper()
	var names []string
	err = ui.Show(t.Context(), d, rec, surfaces, slog.New(slog.DiscardHandler), func(tried []desk.Showing) {
		if len(tried) > 0 && tried[len(tried)-1].Why == "" {
			names = append(names, tried[len(tried)-1].Surface)
		}
	})
	return strings.Join(names, " "), err
}

func TestFirstSurfaceThatReachesTheHuman(t *testing.T) {
	d, rec := asked(t)
	tried, err := show(t, d, rec, refuses("one", "no form"), answers("two", "b"), answers("three", "a"))
	if err != nil || tried != "one two" {
		t.Errorf("tried %s, %v", tried, err)
	}
	rec, err = d.Get(t.Context(), rec.ID)
	if err != nil || rec.State != desk.Answered || rec.Outcome.Surface != "two" || rec.Outcome.Reply.Answers[0].Selected[0] != "b" {
		t.Errorf("the record is %+v, %v", rec.Outcome, err)
	}
}

func TestNobody(t *testing.T) {
	d, rec := asked(t)
	tried, err := show(t, d, rec, refuses("one", "no form"), refuses("two", "no terminal"))
	var nobody *ui.NobodyError
	if !errors.As(err, &nobody) || !errors.Is(err, ui.ErrUnavailable) || err.Error() != "one: no form; two: no terminal" || tried != "one two" {
		t.Errorf("tried %s, %v", tried, err)
	}
	if rec, _ := d.Get(t.Context(), rec.ID); rec.State != desk.Pending {
		t.Errorf("the record is %s", rec.State)
	}
}

// Where an inbox is open, and only there, the question waits for it.
func TestOpenInbox(t *testing.T) {
	d, rec := asked(t)
	if _, err := show(t, d, rec, ui.OpenElsewhere(d)); !errors.Is(err, ui.ErrUnavailable) {
		t.Errorf("without one: %v", err)
	}
	release, err := d.Announce(t.Context(), "inbox")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	err = ui.Show(ctx, d, rec, []ui.Surface{ui.OpenElsewhere(d)}, slog.New(slog.DiscardHandler), func([]desk.Showing) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("with one: %v", err)
	}
}

// A surface that gives up for another reason ends the search: the human may
// have seen the question.
func TestBrokenSurfaceEndsTheSearch(t *testing.T) {
	d, rec := asked(t)
	broken := errors.New("broken")
	tried, err := show(t, d, rec, surface{"one", func(context.Context, desk.Record, ui.Commit) error { return broken }}, answers("two", "a"))
	if !errors.Is(err, broken) || tried != "one" {
		t.Errorf("tried %s, %v", tried, err)
	}
}

// An answer given elsewhere withdraws the surface, and says who was first.
func TestWithdrawnWhenAnsweredElsewhere(t *testing.T) {
	d, rec := asked(t)
	causes := make(chan error, 1)
	waits := surface{"one", func(ctx context.Context, _ desk.Record, commit ui.Commit) error {
		if _, err := d.Reply(t.Context(), rec.ID, reply("a"), "inbox"); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		var closed *desk.ClosedError
		if err := commit(reply("b")); !errors.As(err, &closed) || closed.Outcome.Surface != "inbox" {
			t.Errorf("the second answer: %v", err)
		}
		return context.Cause(ctx)
	}}
	if tried, err := show(t, d, rec, waits, answers("two", "b")); err != nil || tried != "one" {
		t.Errorf("tried %s, %v", tried, err)
	}
	var closed *desk.ClosedError
	if cause := <-causes; !errors.As(cause, &closed) || closed.Outcome.Surface != "inbox" {
		t.Errorf("the cause is %v", cause)
	}
}

// A surface is not withdrawn by its own reply: it has something to say still.
func TestOwnReplyDoesNotWithdraw(t *testing.T) {
	for range 50 {
		d, rec := asked(t)
		own := surface{"one", func(ctx context.Context, _ desk.Record, commit ui.Commit) error {
			if err := commit(reply("a")); err != nil {
				return err
			}
			ended, err := d.Wait(ctx, rec.ID) // by now the news has arrived
			if err != nil || ended.State != desk.Answered || ctx.Err() != nil {
				t.Errorf("%s, %v, %v", ended.State, err, context.Cause(ctx))
			}
			return nil
		}}
		if _, err := show(t, d, rec, own); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPresenter(t *testing.T) {
	presenter := func(d *desk.Desk, defaults bool) *ui.Presenter {
		return ui.NewPresenter(ui.PresenterOptions{Desk: d, Log: slog.New(slog.DiscardHandler), TakeDefaults: defaults})
	}
	t.Run("time is up", func(t *testing.T) {
		d, rec := asked(t)
		rec.Timeout = 0.001
		p := presenter(d, true)
		defer p.Close(nil)
		x := p.Present(rec, []ui.Surface{ui.Elsewhere()})
		<-x.Done()
		rec, err := d.Get(t.Context(), rec.ID)
		if err != nil || x.Err() != nil || rec.State != desk.Timeout || rec.Outcome.Reply != nil {
			t.Errorf("%v, %+v, %v", x.Err(), rec.Outcome, err)
		}
	})
	// A default is taken only where question, caller and configuration all say
	// so, and is never the human's word (DESIGN, promise 1).
	t.Run("time is up, with a default", func(t *testing.T) {
		for _, tc := range []struct {
			declared, caller, configured bool
			want                         desk.Status
		}{
			{true, true, true, desk.Answered},
			{true, true, false, desk.Timeout},
			{true, false, true, desk.Timeout},
			{false, true, true, desk.Timeout},
		} {
			d, rec := asked(t)
			rec.Timeout = 0.001
			if tc.caller {
				rec.OnTimeout = desk.OnTimeoutDefault
			}
			rec.Questions[0].Options[1].Default = tc.declared
			p := presenter(d, tc.configured)
			<-p.Present(rec, []ui.Surface{ui.Elsewhere()}).Done()
			p.Close(nil)
			rec, err := d.Get(t.Context(), rec.ID)
			if err != nil || rec.State != tc.want {
				t.Errorf("%+v: %s, %v", tc, rec.State, err)
			}
			if tc.want == desk.Answered && rec.Outcome.Reply.Answers[0].By != question.ByTimeout {
				t.Errorf("the default counts as %s's", rec.Outcome.Reply.Answers[0].By)
			}
		}
	})
	t.Run("work restarts the clock", func(t *testing.T) {
		d, rec := asked(t)
		rec.Timeout = 0.3
		p := presenter(d, false)
		defer p.Close(nil)
		start := time.Now()
		x := p.Present(rec, []ui.Surface{surface{"one", func(ctx context.Context, _ desk.Record, _ ui.Commit) error {
			<-time.After(200 * time.Millisecond) // later than nothing, sooner than the deadline
			if err := d.SaveDraft(ctx, rec.ID, question.Reply{}); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}}})
		<-x.Done()
		if took := time.Since(start); took < 500*time.Millisecond {
			t.Errorf("the time was up after %s", took)
		}
	})
	t.Run("where it was tried is kept", func(t *testing.T) {
		d, rec := asked(t)
		p := presenter(d, false)
		<-p.Present(rec, []ui.Surface{refuses("one", "no form"), refuses("two", "no terminal")}).Done()
		p.Close(nil)
		rec, err := d.Get(t.Context(), rec.ID)
		if err != nil || fmt.Sprint(rec.ShownOn) != "[{one no form} {two no terminal}]" {
			t.Errorf("shown on %v, %v", rec.ShownOn, err)
		}
	})
	t.Run("closed", func(t *testing.T) {
		d, rec := asked(t)
		p := presenter(d, false)
		shown := make(chan struct{})
		x := p.Present(rec, []ui.Surface{refuses("one", "no"), surface{"two", func(ctx context.Context, _ desk.Record, _ ui.Commit) error {
			close(shown)
			<-ctx.Done()
			return context.Cause(ctx)
		}}})
		<-shown
		if x.Surface() != "two" {
			t.Errorf("shown on %q", x.Surface())
		}
		bye := errors.New("bye")
		p.Close(bye)
		<-x.Done()
		if !errors.Is(x.Err(), bye) {
			t.Errorf("ended with %v", x.Err())
		}
		if rec, _ := d.Get(t.Context(), rec.ID); rec.State != desk.Pending {
			t.Errorf("the record is %s: nobody may end it but its asker and the human", rec.State)
		}
	})
}
