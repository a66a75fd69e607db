package present_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
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
	if err != nil {
		r.t.Fatal(err)
	}
	return w
}

// end waits for the end of the record.
func (r *rig) end(w *present.Waiter) desk.Record {
	r.t.Helper()
	waittest.Take(r.t, w.Ended())
	rec, err := w.Result()
	if err != nil {
		r.t.Fatal(err)
	}
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

// stored fails unless the desk has the record in this state.
func (r *rig) stored(w *present.Waiter, want string) {
	r.t.Helper()
	rec, err := r.desk.Get(r.t.Context(), w.Record().ID)
	if err != nil || status(rec) != want {
		r.t.Errorf("on the desk it is %s, %v, want %s", status(rec), err, want)
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

func TestFirstSurfaceThatReachesTheHuman(t *testing.T) {
	r := newRig(t)
	w := r.ask(refuses("one", "no form"), answers("two", "b"), answers("three", "a"))
	r.ends("answered two B", w)
	r.stored(w, "answered two B")
}

func TestNobody(t *testing.T) {
	r := newRig(t)
	w := r.ask(refuses("one", "no form"), refuses("two", "no terminal"))
	rec := r.end(w)
	if rec.State != desk.Unavailable || rec.Outcome.Reason != "one: no form; two: no terminal" {
		t.Errorf("the end is %+v", rec.Outcome)
	}
	var unshown *present.UnshownError
	waittest.Take(t, w.Unshown())
	if !errors.As(w.UnshownReason(), &unshown) || !errors.Is(w.UnshownReason(), ui.ErrUnavailable) || len(unshown.Tried) != 2 {
		t.Errorf("why: %v", w.UnshownReason())
	}
}

// One who comes back for a record, or shows it, leaves it open when there is no
// surface; the next who comes tries again.
func TestJoinEndsNothing(t *testing.T) {
	r := newRig(t)
	rec, err := desktest.Ask(t.Context(), r.desk, request().Set, "s", desk.Asker{Client: "test", Via: "mcp"})
	if err != nil {
		t.Fatal(err)
	}
	for _, join := range []func(context.Context, string, present.Surfaces) (*present.Waiter, error){r.Join, r.Show} {
		w, err := join(t.Context(), rec.ID, on(refuses("one", "no form")))
		if err != nil {
			t.Fatal(err)
		}
		waittest.Take(t, w.Unshown())
		if got, err := r.desk.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending || fmt.Sprint(got.ShownOn) != "[{one no form}]" {
			t.Errorf("the record is %s, shown on %v, %v", got.State, got.ShownOn, err)
		}
		defer w.Leave()
	}
	w, err := r.Join(t.Context(), rec.ID, on(answers("two", "a")))
	if err != nil {
		t.Fatal(err)
	}
	r.ends("answered two A", w)
	if _, err := r.Join(t.Context(), "nothing", on()); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("no such record: %v", err)
	}
}

// Who asks what another call awaits by its ticket, in the same session, joins
// it: the user is not asked beside it.
func TestAskedWhileAwaited(t *testing.T) {
	r := newRig(t)
	q := request()
	rec, err := desktest.Ask(t.Context(), r.desk, q.Set, q.Session, q.Asker)
	if err != nil {
		t.Fatal(err)
	}
	shows := newStays("one")
	awaits, err := r.Join(t.Context(), rec.ID, on(shows))
	if err != nil {
		t.Fatal(err)
	}
	asks := r.ask(answers("two", "b"))
	if asks.Record().ID != rec.ID {
		t.Fatal("asked beside the one that is awaited")
	}
	r.elsewhere(rec.ID, "a")
	r.ends("answered inbox A", awaits, asks)
}

// A surface that fails, or panics, ends the search: the user may have seen the question. The
// process goes on.
func TestBrokenSurface(t *testing.T) {
	for why, show := range map[string]func() error{
		"broken":                       func() error { return errors.New("broken") },
		"the surface one broke: burst": func() error { panic("burst") },
	} {
		r := newRig(t)
		broken := surface{"one", func(context.Context, desk.Record, ui.Commit) error { return show() }}
		if rec := r.end(r.ask(broken, answers("two", "a"))); rec.State != desk.Failed || rec.Outcome.Reason != why {
			t.Errorf("the end is %+v", rec.Outcome)
		}
	}
}

func TestInterrupted(t *testing.T) {
	for _, want := range []desk.Status{desk.Dismissed, desk.Cancelled} {
		r := newRig(t)
		breaks := surface{"tty", func(context.Context, desk.Record, ui.Commit) error { return ui.ErrInterrupted }}
		w := r.askFor(present.Question{Request: request(), Surfaces: on(breaks, answers("two", "a")), Interrupted: want})
		if rec := r.end(w); rec.State != want {
			t.Errorf("the end is %+v, want %s", rec.Outcome, want)
		}
	}
}

// An answer given elsewhere withdraws the surface, and says who was first, in
// time and to one who answers too late.
func TestAnsweredElsewhere(t *testing.T) {
	r := newRig(t)
	late := make(chan error, 2)
	shown := make(chan struct{})
	w := r.ask(surface{"one", func(ctx context.Context, _ desk.Record, commit ui.Commit) error {
		close(shown)
		<-ctx.Done()
		late <- context.Cause(ctx)
		late <- commit(reply("b"))
		return context.Cause(ctx)
	}})
	waittest.Take(t, shown)
	r.elsewhere(w.Record().ID, "a")
	r.ends("answered inbox A", w)
	if waittest.Take(t, w.Unshown()); w.UnshownReason() != nil {
		t.Errorf("no surface shows it because %v", w.UnshownReason())
	}
	for range 2 {
		var closed *desk.ClosedError
		if err := waittest.Take(t, late); !errors.As(err, &closed) || closed.Outcome.Surface != "inbox" {
			t.Errorf("it was told %v", err)
		}
	}
}

// A surface is not withdrawn by its own reply: it has something to say still.
func TestOwnReplyDoesNotWithdraw(t *testing.T) {
	for range 50 {
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
		if err := waittest.Take(t, after); err != nil {
			t.Fatal(err)
		}
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

// An answer that a call did not get to is there for the next, in another
// process.
func TestAnsweredMeanwhile(t *testing.T) {
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
	next := &rig{present.New(present.Options{Desk: r.desk}), t, r.desk, r.store}
	defer next.Close(nil)
	again := next.ask(answers("two", "a"))
	if got := status(next.end(again)); got != "answered inbox B" || again.Record().ID != w.Record().ID {
		t.Errorf("the end is %s", got)
	}
}

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
		if tc.want == desk.Answered && rec.Responses()[0].By() != question.ByTimeout {
			t.Errorf("the default counts as %s's", rec.Responses()[0].By())
		}
	}
}

// A user who opens a question whose time was up while its asker was away has all the
// time; the asker who comes back has none.
func TestTimeoutIsTheAskers(t *testing.T) {
	q := request()
	q.Timeout = time.Nanosecond
	for _, back := range []bool{false, true} {
		r := newRig(t)
		rec, attendance, err := r.desk.Submit(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		attendance.Release()
		shown := make(chan struct{})
		w, err := r.Show(t.Context(), rec.ID, on(surface{"one", func(ctx context.Context, _ desk.Record, commit ui.Commit) error {
			close(shown)
			pause := time.After(100 * time.Millisecond)
			if back {
				pause = nil
			}
			select {
			case <-pause:
				return commit(reply("a"))
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}}))
		if err != nil {
			t.Fatal(err)
		}
		waittest.Take(t, shown)
		want := desk.Answered
		if back {
			want = desk.Timeout
			if _, err := r.Join(t.Context(), rec.ID, on()); err != nil {
				t.Fatal(err)
			}
		}
		if got := r.end(w); got.State != want {
			t.Errorf("it ended %s, want %s", got.State, want)
		}
	}
}

// Work on the record moves its deadline. A machine on which the work is not done
// in time is given longer.
func TestWorkRestartsTheClock(t *testing.T) {
	r := newRig(t)
	q := request()
	for q.Timeout = 300 * time.Millisecond; ; q.Timeout *= 2 {
		began, saved := make(chan time.Time, 1), make(chan time.Time, 1)
		w := r.askFor(present.Question{Request: q, Surfaces: on(surface{"one", func(ctx context.Context, rec desk.Record, _ ui.Commit) error {
			<-time.After(q.Timeout / 2)
			began <- time.Now()
			_ = r.desk.SaveDraft(ctx, rec.ID, question.Reply{})
			saved <- time.Now()
			<-ctx.Done()
			return context.Cause(ctx)
		}})})
		rec := r.end(w)
		if rec.State != desk.Timeout {
			t.Fatalf("it ended %s", rec.State)
		}
		if after := rec.Outcome.At.Sub(waittest.Take(t, began)); after >= q.Timeout {
			return
		} else if waittest.Take(t, saved).Before(rec.CreatedAt.Add(q.Timeout)) {
			t.Fatalf("it ended %v after the last work, not %v", after, q.Timeout)
		}
	}
}

// A reply that cannot be given again is repeated until the store takes it.
func TestReplyRepeated(t *testing.T) {
	r := newRig(t)
	failed := r.fails("Answer", syscall.ENOSPC)
	w := r.ask(answers("elicit", "b"))
	eventually(t, "the reply is tried again", func() bool { return failed.Load() >= 3 })
	r.store.Before(nil)
	r.ends("answered elicit B", w)
	r.stored(w, "answered elicit B")
}

// A call that joins while a reply is repeated does not have the user asked again.
func TestJoinedWhileReplyIsRepeated(t *testing.T) {
	r := newRig(t)
	r.store.Fail("Answer", syscall.ENOSPC)
	first := r.ask(answers("elicit", "b"))
	waittest.Take(t, first.Unshown())
	again := surface{"two", func(context.Context, desk.Record, ui.Commit) error {
		t.Error("the user is asked again")
		return nil
	}}
	second := r.ask(again)
	if !second.Try(on(again)) {
		t.Error("a surface cannot be tried while the record is open")
	}
	r.store.Before(nil)
	r.ends("answered elicit B", first, second)
}

// The surfaces of a call that joins while others are tried have their turn if those fail.
func TestJoinedWhileTrying(t *testing.T) {
	r := newRig(t)
	trying, fail := make(chan struct{}), make(chan struct{})
	first := r.askFor(present.Question{Request: request(), KeepOpen: true, Surfaces: on(surface{"one", func(context.Context, desk.Record, ui.Commit) error {
		close(trying)
		<-fail
		return ui.Unavailablef("no form")
	}})})
	waittest.Take(t, trying)
	second, err := r.Join(t.Context(), first.Record().ID, on(answers("two", "b")))
	if err != nil {
		t.Fatal(err)
	}
	close(fail)
	r.ends("answered two B", second)
}

// After all surfaces have failed, a call can try further ones, while the record is
// open.
func TestTry(t *testing.T) {
	r := newRig(t)
	w := r.askFor(present.Question{Request: request(), Surfaces: on(refuses("one", "no form")), KeepOpen: true})
	waittest.Take(t, w.Unshown())
	stays := newStays("inbox")
	if !w.Try(on(stays)) {
		t.Fatal("no further surface is tried")
	}
	waittest.Take(t, stays.shown)
	select {
	case <-w.Unshown():
		t.Error("it is not said to be shown")
	default:
	}
	if !w.Try(on(refuses("three", "not needed"))) {
		t.Error("a surface that shows the record is not said to")
	}
	r.elsewhere(w.Record().ID, "a")
	r.end(w)
	waittest.Take(t, w.Unshown())
	if w.Try(on(answers("four", "b"))) {
		t.Error("a surface is tried after the end")
	}
}

// A store that comes back only at the very end still gets the reply.
func TestLastTry(t *testing.T) {
	r := newRig(t, func(o *present.Options) { o.Retry = time.Hour })
	failed := r.fails("Answer", syscall.ENOSPC)
	w := r.ask(answers("elicit", "b"))
	eventually(t, "the reply is tried twice", func() bool { return failed.Load() >= 2 })
	r.store.Before(nil)
	r.Close(errors.New("bye"))
	r.stored(w, "answered elicit B")
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
	r.elsewhere(w.Record().ID, "a")
	r.end(w)
	var closed *desk.ClosedError
	if cause := waittest.Take(t, one.cause); !errors.As(cause, &closed) {
		t.Errorf("the surface was told %v", cause)
	}
}

// A store that vanishes while a question waits is noticed by who looks.
func TestStoreVanishes(t *testing.T) {
	r := newRig(t)
	one := newStays("one")
	w := r.ask(one)
	waittest.Take(t, one.shown)
	w.Look(t.Context())
	select {
	case <-w.Ended():
		t.Fatal("it ended, and nothing was wrong")
	default:
	}
	r.store.Fail("Get", desk.ErrNotFound)
	w.Look(t.Context())
	waittest.Take(t, w.Ended())
	if _, err := w.Result(); !errors.Is(err, desk.ErrLost) {
		t.Errorf("the call was told %v", err)
	}
	waittest.Take(t, one.cause)
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

// A form that ended with its call ends nothing: the call that has joined since
// shows the question its own way.
func TestCallEnded(t *testing.T) {
	r := newRig(t)
	shown, hangUp := make(chan struct{}), make(chan struct{})
	first := r.ask(surface{"elicit", func(context.Context, desk.Record, ui.Commit) error {
		close(shown)
		<-hangUp
		return ui.ErrCallEnded
	}})
	waittest.Take(t, shown)
	second := r.ask(answers("elicit", "b"))
	first.Leave()
	close(hangUp)
	r.ends("answered elicit B", second)
}

// A question that its asker withdraws is gone for good, unless it was answered.
func TestWithdraw(t *testing.T) {
	r := newRig(t)
	one := newStays("one")
	w := r.ask(one)
	w.Withdraw("cancelled by the client")
	w.Leave()
	if rec := r.end(w); rec.State != desk.Cancelled || rec.Outcome.Reason != "cancelled by the client" {
		t.Errorf("the end is %+v", rec.Outcome)
	}
	waittest.Take(t, one.cause)
	again := r.ask(answers("two", "a"))
	if again.Record().ID == w.Record().ID {
		t.Error("what was withdrawn is asked on")
	}
	r.end(again)
	again.Withdraw("too late")
	again.Leave()
	third := r.ask(answers("three", "b"))
	r.ends("answered two A", third)
}
