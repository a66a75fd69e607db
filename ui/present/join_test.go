package present_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// One who comes back for a record, or shows it, leaves it open when there is no
// surface; the next who comes tries again.
func TestJoinEndsNothing(t *testing.T) {
	r := newRig(t)
	rec, err := desktest.Ask(t.Context(), r.desk, request().Set, "s", desk.Asker{Client: "test", Via: "mcp"})
	fatal.If(t, err)
	for _, join := range []func(context.Context, string, present.Surfaces) (*present.Waiter, error){r.Join, r.Show} {
		w, err := join(t.Context(), rec.ID, on(refuses("one", "no form")))
		fatal.If(t, err)
		waittest.Take(t, w.Unshown())
		if got, err := r.desk.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending || fmt.Sprint(got.ShownOn) != "[{one no form}]" {
			t.Errorf("the record is %s, shown on %v, %v", got.State, got.ShownOn, err)
		}
		defer w.Leave()
	}
	w, err := r.Join(t.Context(), rec.ID, on(answers("two", "a")))
	fatal.If(t, err)
	r.ends("answered two A", w)
	if _, err := r.Join(t.Context(), "nothing", on()); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("no such record: %v", err)
	}
}

// The same content in the same session joins the question that is open; in
// another session it is another question.
func TestSameAgain(t *testing.T) {
	r := newRig(t)
	one := newStays("one")
	first := r.ask(one)
	waittest.Take(t, one.shown)
	again := r.ask(answers("two", "b"))
	if first.Record().ID != again.Record().ID {
		t.Error("it is asked twice")
	}
	other := request()
	other.Session = "other"
	if w := r.askFor(present.Question{Request: other, Surfaces: on(newStays("three"))}); w.Record().ID == first.Record().ID {
		t.Error("another session is given its question")
	}
	first.Leave()
	if rec, err := r.desk.Get(t.Context(), first.Record().ID); err != nil || !rec.Attended {
		t.Errorf("attended: %v, %v, while one still waits", rec.Attended, err)
	}
	again.Leave()
	if rec, err := r.desk.Get(t.Context(), first.Record().ID); err != nil || rec.Attended {
		t.Errorf("attended: %v, %v, though nobody waits", rec.Attended, err)
	}
	third := r.ask(answers("two", "b")) // and shown on, meanwhile
	r.elsewhere(first.Record().ID, "a")
	if got := status(r.end(third)); got != "answered inbox A" || third.Record().ID != first.Record().ID {
		t.Errorf("the end is %s", got)
	}
	third.Delivered()
	if w := r.ask(answers("four", "b")); w.Record().ID == first.Record().ID || status(r.end(w)) != "answered four B" {
		t.Error("what was delivered is delivered again")
	}
}

// Many calls at once ask the same: one question, and all get its end.
func TestSameAtOnce(t *testing.T) {
	r := newRig(t)
	release := make(chan struct{})
	waits := surface{"one", func(_ context.Context, _ desk.Record, commit ui.Commit) error {
		<-release
		return commit(reply("a"))
	}}
	var asking sync.WaitGroup
	places := make(chan *present.Waiter, 50)
	for range cap(places) {
		asking.Go(func() {
			w, err := r.Ask(t.Context(), present.Question{Request: request(), Surfaces: on(waits)})
			if err != nil {
				t.Error(err)
				return
			}
			places <- w
		})
	}
	asking.Wait()
	close(release)
	close(places)
	id := ""
	for w := range places {
		if id != "" && w.Record().ID != id {
			t.Fatal("there are two questions")
		}
		id = w.Record().ID
		r.ends("answered one A", w)
	}
}

// A presenter that closes withdraws its questions, and says why. They stay open.
func TestClose(t *testing.T) {
	r := newRig(t)
	one := newStays("one")
	w := r.ask(one)
	waittest.Take(t, one.shown)
	r.Close(errors.New("bye"))
	if cause := waittest.Take(t, one.cause); cause.Error() != "bye" {
		t.Errorf("the surface was told %v", cause)
	}
	waittest.Take(t, w.Ended())
	if _, err := w.Result(); err == nil || err.Error() != "bye" {
		t.Errorf("the call was told %v", err)
	}
	w.Leave()
	r.elsewhere(w.Record().ID, "b")
}

// The surfaces of a call that joins while others are tried have their turn if those fail, or end
// with their own call.
func TestJoinedWhileTrying(t *testing.T) {
	for _, fails := range []error{ui.Unavailablef("no form"), ui.ErrCallEnded} {
		r := newRig(t)
		trying, fail := make(chan struct{}), make(chan struct{})
		first := r.ask(surface{"one", func(context.Context, desk.Record, ui.Commit) error {
			close(trying)
			<-fail
			return fails
		}})
		waittest.Take(t, trying)
		second, err := r.Join(t.Context(), first.Record().ID, on(answers("two", "b")))
		fatal.If(t, err)
		first.Leave()
		close(fail)
		r.ends("answered two B", second)
	}
}

// A question that its asker withdraws is gone for good, unless it was answered. Of two calls that ask
// the same question, as two subagents do, one withdraws it for itself alone: the last one ends the record.
func TestWithdraw(t *testing.T) {
	r := newRig(t)
	one := newStays("one")
	first, last := r.ask(one), r.ask(newStays("two"))
	first.Withdraw("the first")
	last.Withdraw("the last")
	last.Leave()
	if rec := r.end(last); rec.State != desk.Cancelled || rec.Outcome.Reason != "the last" {
		t.Errorf("the end is %+v", rec.Outcome)
	}
	waittest.Take(t, one.cause)
	again := r.ask(answers("two", "a"))
	if again.Record().ID == last.Record().ID {
		t.Error("what was withdrawn is asked on")
	}
	r.end(again)
	again.Withdraw("too late")
	again.Leave()
	third := r.ask(answers("three", "b"))
	r.ends("answered two A", third)
}

// A call that asks the same while the store does not take the end of what was withdrawn has a question
// of its own.
func TestAskWhileWithdrawing(t *testing.T) {
	r := newRig(t)
	first := r.ask(newStays("one"))
	r.fails("Answer", syscall.ENOSPC)
	first.Withdraw("cancelled")
	second := r.ask(answers("two", "b"))
	r.store.Before(nil)
	if rec := r.end(first); rec.State != desk.Cancelled {
		t.Errorf("the end is %+v", rec.Outcome)
	}
	r.ends("answered two B", second)
}

// A call that comes back for a record while another one leaves it attends it.
func TestJoinWhileLeaving(t *testing.T) {
	r := newRig(t)
	w := r.ask(newStays("one"))
	for range 50 {
		var leaving sync.WaitGroup
		leaving.Go(w.Leave)
		next, err := r.Join(t.Context(), w.Record().ID, on())
		fatal.If(t, err)
		leaving.Wait()
		rec, err := r.desk.Get(t.Context(), w.Record().ID)
		if err != nil || !rec.Attended {
			t.Fatalf("attended: %v, %v, while a call waits", rec.Attended, err)
		}
		w = next
	}
}

// A call that waits by a ticket withdraws no question that another process waits for.
func TestWithdrawWithAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	asker := desktest.Open(t, dir)
	rec, attendance, err := asker.Submit(t.Context(), request())
	fatal.If(t, err)
	for _, want := range []desk.Status{desk.Pending, desk.Cancelled} {
		r := newRig(t, func(o *present.Options) { o.Desk = desktest.Open(t, dir) })
		w, err := r.Join(t.Context(), rec.ID, nil)
		fatal.If(t, err)
		w.Withdraw("the ticket")
		r.Close(errors.New("the process ends"))
		if got, err := asker.Get(t.Context(), rec.ID); err != nil || got.State != want {
			t.Errorf("the question is %s, want %s: %v", got.State, want, err)
		}
		attendance.Release()
	}
}

// Each of two equal confirmations that wait at once has an answer of its own: one yes allows
// one action. A call that takes the place of one that has left joins its question.
func TestConfirmationsAtOnce(t *testing.T) {
	for name, withForm := range map[string]bool{"a call waits": false, "the form is with the client": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			confirm := func() *present.Waiter {
				request := request()
				request.Set.Questions = []question.Question{{ID: "q1", Text: "Deploy?", Type: question.Boolean, Required: true,
					Options: question.YesAndNo()}}
				return r.askFor(present.Question{Request: request, Surfaces: func(x *present.Presentation) []ui.Surface {
					return []ui.Surface{shows(x, make(chan any, 1))}
				}})
			}
			first := confirm()
			if withForm {
				first.Take(offered(t, first))
			}
			second := confirm()
			if first.Record().ID == second.Record().ID {
				t.Fatal("two calls share one question")
			}
			first.Leave()
			third := confirm()
			if third.Record().ID != first.Record().ID {
				t.Error("a call does not join the question of the one that it repeats")
			}
			r.elsewhere(third.Record().ID, question.YesID)
			r.ends("answered inbox Yes", third)
			third.Delivered()
			r.elsewhere(second.Record().ID, question.NoID)
			r.ends("answered inbox No", second)
		})
	}
}
