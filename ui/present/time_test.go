package present_test

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

func TestTimeout(t *testing.T) {
	for _, tc := range []struct {
		declared, caller, configured bool
		want                         desk.Status
	}{
		{false, false, false, desk.Timeout},
		{true, true, true, desk.Answered},
		{true, true, false, desk.Timeout},
		{true, false, true, desk.Timeout},
		{false, true, true, desk.Timeout},
	} {
		r := newRig(t, func(o *present.Options) { o.TakeDefaults = tc.configured })
		q := request()
		q.Timeout = time.Millisecond
		if tc.caller {
			q.OnTimeout = desk.OnTimeoutDefault
		}
		q.Set.Questions[0].Options[1].Default = tc.declared
		rec := r.end(r.askFor(present.Question{Request: q, Surfaces: on(newStays("one"))}))
		if rec.State != tc.want {
			t.Errorf("%+v: %s", tc, rec.State)
		}
		if _, says := rec.TimeoutReply(); says != (tc.want == desk.Answered) {
			t.Errorf("%+v: the record says %v of its defaults", tc, says)
		}
		if tc.want == desk.Answered && rec.Responses()[0].By() != question.ByTimeout {
			t.Errorf("the default counts as %s's", rec.Responses()[0].By())
		}
	}
}

// left asks a question whose asker has left again.
func (r *rig) left(q desk.Request) string {
	r.t.Helper()
	rec, attendance, err := r.desk.Submit(r.t.Context(), q)
	fatal.If(r.t, err)
	attendance.Release()
	return rec.ID
}

// A user who opens a question whose time was up while its asker was away has all the
// time; the asker who comes back has none.
func TestTimeoutIsTheAskers(t *testing.T) {
	q := request()
	q.Timeout = time.Nanosecond
	for _, back := range []bool{false, true} {
		r := newRig(t)
		id, one := r.left(q), newStays("one")
		w, err := r.Show(t.Context(), id, on(one))
		fatal.If(t, err)
		waittest.Take(t, one.shown)
		if back {
			if _, err := r.Join(t.Context(), id, on()); err != nil {
				t.Fatal(err)
			}
			r.ends("timeout  ", w)
			continue
		}
		waittest.Pass(t.Context(), 100*time.Millisecond)
		r.elsewhere(id, "a")
		r.ends("answered inbox A", w)
	}
}

// Work on the record moves its deadline, whatever the clock of the machine on which it is done.
func TestWorkRestartsTheClock(t *testing.T) {
	for _, ahead := range []time.Duration{0, 3 * time.Hour, -24 * time.Hour} {
		r := newRig(t)
		now := func() time.Time { return time.Now().Add(ahead) }
		r.testWork(desk.New(r.store, desk.Options{Now: now}))
	}
}

// testWork works on a record. A machine on which the work is not done in time is given longer.
func (r *rig) testWork(elsewhere *desk.Desk) {
	r.t.Helper()
	q := request()
	for q.Timeout = 300 * time.Millisecond; ; q.Timeout *= 2 {
		began, saved := make(chan time.Time, 1), make(chan time.Time, 1)
		w := r.askFor(present.Question{Request: q, Surfaces: on(surface{"one", func(ctx context.Context, rec desk.Record, _ ui.Commit) error {
			<-time.After(q.Timeout / 2)
			began <- time.Now()
			_ = elsewhere.SaveDraft(ctx, rec.ID, question.Reply{})
			saved <- time.Now()
			<-ctx.Done()
			return context.Cause(ctx)
		}})})
		rec := r.end(w)
		if rec.State != desk.Timeout {
			r.t.Fatalf("it ended %s", rec.State)
		}
		if after := rec.Outcome.At.Sub(waittest.Take(r.t, began)); after >= q.Timeout {
			return
		} else if waittest.Take(r.t, saved).Before(rec.CreatedAt.Add(q.Timeout)) {
			r.t.Fatalf("it ended %v after the last work, not %v", after, q.Timeout)
		}
	}
}

// A machine that sleeps stops all timers. When it wakes up, the time is up that was shown.
func TestTimeoutAfterSleep(t *testing.T) {
	asleep := new(atomic.Int64)
	r := newRig(t, func(o *present.Options) {
		o.Now = func() time.Time { return time.Now().Round(0).Add(time.Duration(asleep.Load())) }
	})
	q := request()
	q.Timeout = time.Hour
	one := newStays("one")
	w := r.askFor(present.Question{Request: q, Surfaces: on(one)})
	waittest.Take(t, one.shown)
	asleep.Store(int64(9 * time.Hour))
	if rec := r.end(w); rec.State != desk.Timeout {
		t.Errorf("it ended %s", rec.State)
	}
}

// The time of the call that asks a question again counts, and not that of the one before, which
// no longer waits, in this process or in another.
func TestTimeoutOfTheCallThatAsksAgain(t *testing.T) {
	for _, tc := range []struct {
		here          bool
		before, again time.Duration
		want          string
	}{
		{true, 0, time.Millisecond, "timeout  "}, {true, time.Hour, time.Millisecond, "timeout  "},
		{false, 0, time.Millisecond, "timeout  "}, {false, time.Hour, time.Millisecond, "timeout  "},
		{false, time.Nanosecond, 0, "answered inbox A"},
	} {
		r := newRig(t)
		before, again := request(), request()
		before.Timeout, again.Timeout = tc.before, tc.again
		var id string
		if tc.here {
			first := r.askFor(present.Question{Request: before, Surfaces: on(newStays("one"))})
			first.Leave()
			id = first.Record().ID
		} else {
			id = r.left(before)
		}
		w := r.askFor(present.Question{Request: again, Surfaces: on(newStays("two"))})
		if w.Record().ID != id {
			t.Fatal("it is asked twice")
		}
		if tc.again == 0 {
			r.elsewhere(id, "a")
		}
		r.ends(tc.want, w)
	}
}

// Work on a record moves its deadline. Where the store cannot be read at the deadline, the record
// does not end before the store was read.
func TestDeadlineThatCannotBeRead(t *testing.T) {
	r := newRig(t)
	failed := r.fails("Get", syscall.EMFILE)
	q := request()
	q.Timeout = 50 * time.Millisecond
	w := r.askFor(present.Question{Request: q, Surfaces: on(newStays("one"))})
	began := time.Now()
	eventually(t, "the deadline is read again", func() bool { return failed.Load() >= 3 && time.Since(began) > q.Timeout })
	err := r.desk.SaveDraft(t.Context(), w.Record().ID, question.Reply{})
	fatal.If(t, err)
	saved := time.Now()
	r.store.Before(nil)
	rec := r.end(w)
	if rec.State != desk.Timeout || rec.Outcome.At.Before(saved) {
		t.Errorf("it ended %s, %v after the last work", rec.State, rec.Outcome.At.Sub(saved))
	}
}
