package present_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// A reply that cannot be given again is repeated until the store takes it. A call that joins
// meanwhile does not have the user asked again.
func TestReplyRepeated(t *testing.T) {
	r := newRig(t)
	failed := r.fails("Answer", syscall.ENOSPC)
	first := r.ask(answers("elicit", "b"))
	eventually(t, "the reply is tried again", func() bool { return failed.Load() >= 3 })
	again := surface{"two", func(context.Context, desk.Record, ui.Commit) error {
		t.Error("the user is asked again")
		return nil
	}}
	second := r.ask(again)
	r.store.Before(nil)
	r.ends("answered elicit B", first, second)
}

// An outcome that cannot be marked as delivered is given to no other call meanwhile, not a yes to a second
// action either, and it is marked later.
func TestMarkedLater(t *testing.T) {
	r := newRig(t)
	first := r.ask(answers("one", "a"))
	r.ends("answered one A", first)
	r.fails("Delivered", syscall.ENOSPC)
	first.Delivered()
	first.Leave()
	second := r.ask(answers("two", "b"))
	r.ends("answered two B", second)
	r.store.Before(nil)
	eventually(t, "it is marked", func() bool {
		row, err := r.store.Get(t.Context(), first.Record().ID)
		return err == nil && row.Delivered && !row.Attended
	})
}

// A call that could not be released, as the disk was full, is released later, and then keeps the answer from no
// other call.
func TestReleasedLater(t *testing.T) {
	r := newRig(t)
	first := r.ask(newStays("one"))
	r.fails("Release", syscall.ENOSPC)
	first.Leave()
	r.elsewhere(first.Record().ID, "a")
	waittest.Take(t, first.Ended())
	r.store.Before(nil)
	eventually(t, "it is released", func() bool {
		row, err := r.store.Get(t.Context(), first.Record().ID)
		return err == nil && !row.Attended
	})
	r.ends("answered inbox A", r.ask(answers("two", "b")))
}

// What can never be stored is tried once: the end of a question that the user has reopened on a shared
// desk, and that an outcome was delivered which a desk of an older backup does not have.
func TestTriedOnce(t *testing.T) {
	r := newRig(t)
	denied, q := r.fails("Answer", desk.ErrDenied), present.Question{Request: request(), Surfaces: on(newStays("one"))}
	q.Timeout = time.Millisecond
	r.askFor(q)
	eventually(t, "its time is up", func() bool { return denied.Load() > 0 })
	if waittest.Until(50*time.Millisecond, func() bool { return denied.Load() > 1 }) {
		t.Error("the end is tried again")
	}
	r.store.Before(nil)
	q = present.Question{Request: request(), Surfaces: on(answers("two", "a"))}
	q.Session = "another"
	w := r.askFor(q)
	r.ends("answered two A", w)
	r.fails("Delivered", desk.ErrPending)
	w.Delivered()
	eventually(t, "it is released", func() bool {
		row, err := r.store.Get(t.Context(), w.Record().ID)
		return err == nil && !row.Attended
	})
}

// A store that comes back only at the very end still gets the reply.
func TestLastTry(t *testing.T) {
	r := newRig(t, func(o *present.Options) { o.Retry = time.Hour })
	failed := r.fails("Answer", syscall.ENOSPC)
	w := r.ask(answers("elicit", "b"))
	eventually(t, "the reply is tried twice", func() bool { return failed.Load() >= 2 })
	r.store.Before(nil)
	r.Close(errors.New("bye"))
	rec, err := r.desk.Get(t.Context(), w.Record().ID)
	if err != nil || status(rec) != "answered elicit B" {
		t.Errorf("on the desk it is %s, %v", status(rec), err)
	}
}

// A wait that fails (too many open files) is begun anew: the surface is
// withdrawn all the same.
func TestWaitFails(t *testing.T) {
	r := newRig(t)
	failed := r.fails("Wait", syscall.EMFILE)
	one := newStays("one")
	w := r.ask(one)
	waittest.Take(t, one.shown)
	eventually(t, "the wait is begun anew", func() bool { return failed.Load() >= 2 })
	r.store.Before(nil)
	r.elsewhere(w.Record().ID, "a")
	r.end(w)
	var closed *desk.ClosedError
	if cause := waittest.Take(t, one.cause); !errors.As(cause, &closed) {
		t.Errorf("the surface was told %v", cause)
	}
}

// A call does not wait for ever in a store that a newer version has brought up to date.
func TestStoreOfANewerVersion(t *testing.T) {
	r := newRig(t)
	failed := r.fails("Wait", desk.ErrNewer)
	w := r.ask(newStays("one"))
	waittest.Take(t, w.Ended())
	if _, err := w.Result(); !errors.Is(err, desk.ErrNewer) || failed.Load() != 1 {
		t.Errorf("the call was told %v after %d attempts", err, failed.Load())
	}
}

// A call comes back for a question that is open in this process also while the shared desk does not
// answer, and one that must return does not wait for the desk.
func TestDeskAway(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	w, ended := r.ask(newStays("one")), r.askFor(present.Question{Request: desk.Request{Set: request().Set},
		Surfaces: on(answers("two", "a"))})
	r.ends("answered two A", ended)
	back := make(chan struct{})
	r.store.Before(func(ctx context.Context, _ desktest.Call) error {
		select {
		case <-ctx.Done():
		case <-back:
		}
		return context.Cause(ctx)
	})
	ended.Delivered()
	w.Leave()
	again, err := r.Join(t.Context(), w.Record().ID, on())
	fatal.If(t, err)
	again.Leave()
	close(back)
	again, err = r.Join(t.Context(), w.Record().ID, on())
	fatal.If(t, err)
	r.elsewhere(w.Record().ID, "a")
	r.ends("answered inbox A", again)
}

// shows is a surface whose forms travel with calls.
func shows(x *present.Presentation, results chan any) ui.Surface {
	return surface{"elicit", func(ctx context.Context, _ desk.Record, commit ui.Commit) error {
		for {
			result, _, err := x.ShowForm(ctx, "form")
			if err != nil {
				return err
			}
			results <- result
			if result == "b" {
				return commit(reply("b"))
			}
		}
	}}
}

// offered waits for the form that the call is to take along.
func offered(t *testing.T, w *present.Waiter) *present.Form {
	t.Helper()
	for {
		if form := w.Form(); form != nil {
			return form
		}
		waittest.Take(t, w.Changed())
	}
}

func TestForms(t *testing.T) {
	r := newRig(t)
	results := make(chan any, 10)
	ask := present.Question{Request: request(), Surfaces: func(x *present.Presentation) []ui.Surface { return []ui.Surface{shows(x, results)} }}
	id := ""
	take := func() string {
		t.Helper()
		w := r.askFor(ask)
		id = w.Record().ID
		form := offered(t, w)
		secret, ok := w.Take(form)
		if !ok || form.Content != "form" {
			t.Fatalf("took %v, %v", form.Content, ok)
		}
		return secret
	}
	lost := take()
	second := take() // the client dropped the first, and asks again
	if w := r.Return(id, "guessed", "b"); w != nil {
		t.Error("a guessed secret counts")
	}
	if rec, err := r.desk.Get(t.Context(), id); err != nil || !rec.Attended {
		t.Errorf("attended: %v, %v, while a form is with the client", rec.Attended, err)
	}
	back := r.Return(id, second, "not yet")
	if back == nil || !back.Asked() || waittest.Take(t, results) != "not yet" {
		t.Fatal("the form is not known")
	}
	if w := r.Return(id, lost, "b"); w != nil {
		t.Error("a lost form has a place still")
	}
	form := offered(t, back)
	third, ok := back.Take(form)
	if !ok {
		t.Fatal("the next form is not to be had")
	}
	last := r.Return(id, third, "b")
	r.ends("answered elicit B", last)
	if _, ok := last.Take(form); ok {
		t.Error("a form with a result is handed out again")
	}
	last.Leave()
	eventually(t, "nobody waits", func() bool {
		attendance, err := r.desk.Attend(t.Context(), id)
		attendance.Release()
		return err == nil
	})
}

// A form that never comes back lets no call wait once its question is
// answered elsewhere: a call that asks again gets the answer.
func TestFormNeverReturns(t *testing.T) {
	r := newRig(t)
	ask := present.Question{Request: request(), Surfaces: func(x *present.Presentation) []ui.Surface {
		return []ui.Surface{shows(x, make(chan any, 1))}
	}}
	w := r.askFor(ask)
	secret, _ := w.Take(offered(t, w))
	r.elsewhere(w.Record().ID, "a")
	waittest.Take(t, w.Ended())
	var again *present.Waiter
	eventually(t, "the answer is there for who asks again", func() bool {
		again = r.askFor(ask)
		return again.Record().ID == w.Record().ID
	})
	r.ends("answered inbox A", again)
	if late := r.Return(w.Record().ID, secret, "b"); late != nil {
		t.Error("a form counts after its question has ended")
	}
}
