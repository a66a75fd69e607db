package desk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
)

// What was asked before is asked again only where somebody else waits for it,
// or its answer has reached its asker.
func TestSubmitAsksTheHumanOnce(t *testing.T) {
	later := func(d time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(d) } }
	for _, tc := range []struct {
		name    string
		between func(t *testing.T, d *desk.Desk, rec desk.Record, a *desk.Attendance)
		edit    func(*desk.Request)
		clock   func() time.Time
		again   bool // the same record comes back
		text    string
	}{
		{name: "open and detached", between: release, again: true},
		{name: "somebody waits"},
		{name: "answered meanwhile", between: func(t *testing.T, d *desk.Desk, rec desk.Record, a *desk.Attendance) {
			a.Release()
			reply(t, d, rec.ID, "yes")
		}, again: true, text: "yes"},
		{name: "answered while somebody waits", between: func(t *testing.T, d *desk.Desk, rec desk.Record, _ *desk.Attendance) { reply(t, d, rec.ID, "yes") }},
		{name: "answered and collected", between: func(t *testing.T, d *desk.Desk, rec desk.Record, a *desk.Attendance) {
			reply(t, d, rec.ID, "yes")
			collected(t, d, rec, a)
		}},
		{name: "withdrawn", between: func(t *testing.T, d *desk.Desk, rec desk.Record, a *desk.Attendance) {
			a.Release()
			if _, err := d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "x"}); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "other content", between: release, edit: func(r *desk.Request) { r.Set.Questions[0].Text = "Another?" }},
		{name: "other project", between: release, edit: func(r *desk.Request) { r.Asker.Directory = "/elsewhere" }},
		{name: "other client", between: release, edit: func(r *desk.Request) { r.Asker.Client = "other" }},
		{name: "other session", between: release, edit: func(r *desk.Request) { r.Session = "s2" }, again: true},
		{name: "other metadata", between: release, edit: func(r *desk.Request) { r.Set.Metadata = nil }, again: true},
		{name: "just within the keep time", between: release, clock: later(23 * time.Hour), again: true},
		{name: "too old", between: release, clock: later(25 * time.Hour)},
		{name: "answered, too old", between: func(t *testing.T, d *desk.Desk, rec desk.Record, a *desk.Attendance) {
			a.Release()
			reply(t, d, rec.ID, "yes")
		}, clock: later(25 * time.Hour)},
		{name: "clock set back", between: release, clock: later(-48 * time.Hour), again: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := storeDir(t)
			d := open(t, dir)
			first, attendance := submit(t, d, request("Which?"))
			defer attendance.Release()
			if tc.between != nil {
				tc.between(t, d, first, attendance)
			}
			r := request("Which?")
			if tc.edit != nil {
				tc.edit(&r)
			}
			other := desk.New(openStore(t, dir), desk.Options{Now: tc.clock})
			second, again := submit(t, other, r)
			defer again.Release()
			if (second.ID == first.ID) != tc.again || text(second) != tc.text {
				t.Errorf("got %s (%s, %q) after %s", second.ID, second.State, text(second), first.ID)
			}
			if tc.clock != nil && !tc.again && tc.text == "" {
				other.TidyUp(t.Context())
				if old, err := d.Get(t.Context(), first.ID); err != nil || old.State == desk.Pending {
					t.Errorf("the old record is %s, %v", old.State, err)
				}
			}
		})
	}
}

// Invariant: a yes reaches only the dialogue that asked for it, or one who has
// its ticket.
func TestOldYes(t *testing.T) {
	confirm := func(session string) desk.Request {
		r := confirmation("mcp")
		r.Session = session
		return r
	}
	for _, tc := range []struct {
		first, second string
		again         bool
	}{{"s1", "s1", true}, {"s1", "s2", false}, {"s1", "", false}, {"", "", false}} {
		for _, open1 := range []bool{false, true} {
			d := open(t, storeDir(t))
			first, a := submit(t, d, confirm(tc.first))
			if !open1 {
				must(d.Reply(t.Context(), first.ID, yes, desk.Evidence{Surface: "inbox", How: desk.HowPage}))
			}
			a.Release()
			second, b := submit(t, d, confirm(tc.second))
			defer b.Release()
			if (second.ID == first.ID) != tc.again {
				t.Errorf("session %q after %q, open %v: got %s (%s) after %s", tc.second, tc.first, open1, second.ID, second.State, first.ID)
			}
			if got := must(d.Get(t.Context(), first.ID)); (got.Outcome == nil) != open1 {
				t.Errorf("by its ticket it is %s", got.State)
			}
		}
	}
}

// Many who ask the same at once have a question each; when they come back, a
// record each.
func TestLiveCallsStayApart(t *testing.T) {
	const askers = 16
	dir := storeDir(t)
	for range 2 {
		ids := map[string]bool{}
		var held []*desk.Attendance
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range askers {
			d := open(t, dir)
			wg.Go(func() {
				rec, attendance, err := d.Submit(t.Context(), request("Which?"))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				ids[rec.ID] = true
				held = append(held, attendance)
			})
		}
		wg.Wait()
		pending, err := open(t, dir).Pending(t.Context())
		if err != nil || len(ids) != askers || len(pending) != askers {
			t.Fatalf("%d askers have %d records, %d are open: %v", askers, len(ids), len(pending), err)
		}
		for _, rec := range pending {
			if !rec.Attended {
				t.Errorf("%s counts as detached", rec.ID)
			}
		}
		for _, a := range held {
			a.Release()
			a.Release() // twice is once
		}
	}
	for _, rec := range must(open(t, dir).Pending(t.Context())) {
		if rec.Attended {
			t.Errorf("%s counts as attended", rec.ID)
		}
	}
}

func TestAttend(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec, attendance := submit(t, d, request("Which?"))
	for range 200 { // looking is not taking
		if got := must(open(t, dir).Get(t.Context(), rec.ID)); !got.Attended {
			t.Fatal("counts as detached")
		}
	}
	if _, err := open(t, dir).Attend(t.Context(), rec.ID); !errors.Is(err, desk.ErrAttended) {
		t.Errorf("a second asker: %v", err)
	}
	if _, err := d.Attend(t.Context(), "../x"); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("no id: %v", err)
	}
	attendance.Release()
	again, err := open(t, dir).Attend(t.Context(), rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
	(*desk.Attendance)(nil).Release()
}

func TestDraftsAndTheClock(t *testing.T) {
	now := time.Now()
	dir := storeDir(t)
	d := desk.New(openStore(t, dir), desk.Options{Now: func() time.Time { return now }})
	r := request("Which?")
	r.Timeout = time.Minute
	rec, attendance := submit(t, d, r)
	defer attendance.Release()
	asked := rec.CreatedAt
	if at, ok := d.Deadline(t.Context(), rec); !ok || !at.Equal(asked.Add(time.Minute)) {
		t.Errorf("the deadline is %s, %v", at, ok)
	}
	if _, _, err := d.Draft(t.Context(), rec.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("a draft of nothing: %v", err)
	}
	now = now.Add(50 * time.Second)
	for _, typed := range []string{"P", "Po"} {
		if err := d.SaveDraft(t.Context(), rec.ID, says(typed)); err != nil {
			t.Fatal(err)
		}
	}
	again, _, err := open(t, dir).Draft(t.Context(), rec.ID)
	if err != nil || again.Answers[0].Custom != "Po" {
		t.Errorf("the draft is %+v, %v", again, err)
	}
	if at, _ := d.Deadline(t.Context(), must(d.Get(t.Context(), rec.ID))); !at.Equal(asked.Add(110 * time.Second)) {
		t.Errorf("work on it did not restart the clock: %s after it was asked", at.Sub(asked))
	}
	reply(t, d, rec.ID, "PostgreSQL")
	var closed *desk.ClosedError
	if err := d.SaveDraft(t.Context(), rec.ID, says("late")); !errors.As(err, &closed) {
		t.Errorf("a draft of what has ended: %v", err)
	}
	collected(t, d, rec, attendance)
	if _, _, err := d.Draft(t.Context(), rec.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("the draft outlives its record: %v", err)
	}
	if _, ok := d.Deadline(t.Context(), ask(t, d)); ok {
		t.Error("a deadline without a timeout")
	}
}

// The limit of rounds, over processes: rounds in a row, ended by a pause or by the
// user. Coming back for an answer is no round.
func TestRoundLimit(t *testing.T) {
	now := time.Now()
	dir := storeDir(t)
	desks := func() *desk.Desk {
		return desk.New(openStore(t, dir), desk.Options{Now: func() time.Time { return now }, MaxRounds: 3})
	}
	next := func(question string) (desk.Record, error) {
		now = now.Add(time.Second)
		rec, attendance, err := desks().Submit(t.Context(), request(question))
		attendance.Release()
		if err == nil && rec.Outcome == nil {
			reply(t, desks(), rec.ID, "yes")
		}
		return rec, err
	}
	for i := 1; i <= 3; i++ {
		rec, err := next(fmt.Sprintf("Question %d?", i))
		if err != nil || rec.Round != i {
			t.Fatalf("round %d: %+v, %v", i, rec.Round, err)
		}
		if at, err := desks().AtLimit(t.Context(), "s1"); err != nil || at != (i == 3) {
			t.Errorf("after round %d the limit is reached: %v, %v", i, at, err)
		}
	}
	var limit *desk.RoundLimitError
	if _, err := next("Question 4?"); !errors.As(err, &limit) || limit.Limit != 3 || !strings.Contains(err.Error(), "recursive_limit_exceeded") {
		t.Fatalf("a round too many: %v", err)
	}
	if n := len(must(desks().Session(t.Context(), "s1"))); n != 3 {
		t.Errorf("%d records, want 3: what was refused is not stored", n)
	}
	if rec, err := next("Question 3?"); err != nil || rec.Round != 3 {
		t.Errorf("coming back for an answer: %v", err)
	}
	if _, err := desks().Ask(t.Context(), set(), "s2", asker); err != nil {
		t.Errorf("another session: %v", err)
	}
	now = now.Add(11 * time.Minute)
	if rec, err := next("Question 4?"); err != nil || rec.Round != 4 {
		t.Errorf("after a pause: %v", err)
	}
	for i := 5; i <= 6; i++ {
		if _, err := next(fmt.Sprintf("Question %d?", i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := next("Question 7?"); !errors.As(err, &limit) {
		t.Fatalf("a round too many: %v", err)
	}
	if err := desks().Lift(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	for i := 7; i <= 12; i++ {
		if _, err := next(fmt.Sprintf("Question %d?", i)); err != nil {
			t.Fatalf("after the limit was lifted: %v", err)
		}
	}
	side := desks() // open side by side, they are no rounds
	for i := range 9 {
		if _, err := side.Ask(t.Context(), request(fmt.Sprintf("Side %d?", i)).Set, "s3", asker); err != nil {
			t.Fatal(err)
		}
	}
	session := must(desks().Session(t.Context(), "s1"))
	if len(session) != 12 || session[0].Round != 1 || session[11].Questions[0].Text != "Question 12?" {
		t.Errorf("the session has %d records", len(session))
	}
}

func TestPresence(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	if got := must(d.Present(t.Context())); len(got) > 0 {
		t.Errorf("open: %v", got)
	}
	var releases []func()
	for _, name := range []string{"web", "inbox", "inbox"} {
		releases = append(releases, must(d.Announce(t.Context(), name)))
	}
	if got := fmt.Sprint(must(open(t, dir).Present(t.Context()))); got != "[inbox web]" {
		t.Errorf("open: %s", got)
	}
	for _, release := range releases {
		release()
	}
	if got := must(d.Present(t.Context())); len(got) > 0 {
		t.Errorf("open: %v", got)
	}
}

func TestShownOnAndTouched(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	ctx, stop := context.WithCancel(deadline(t))
	events, err := open(t, dir).Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rec, attendance := submit(t, d, request("Which?"))
	shown := []desk.Showing{{Surface: "elicit", Why: "not declared"}, {Surface: "tty"}}
	if err := d.SetShown(t.Context(), rec.ID, shown); err != nil {
		t.Fatal(err)
	}
	until := func(what string, ok func(desk.Event) bool) {
		t.Helper()
		for ev := range events {
			if ev.Record.ID == rec.ID && ok(ev) {
				return
			}
		}
		t.Fatalf("not told: %s", what)
	}
	until("asked", func(ev desk.Event) bool { return ev.Type == desk.Asked })
	until("shown", func(ev desk.Event) bool { return ev.Type == desk.Touched && len(ev.Record.ShownOn) == 2 })
	if err := d.SaveDraft(t.Context(), rec.ID, says("x")); err != nil {
		t.Fatal(err)
	}
	until("worked on", func(ev desk.Event) bool { return ev.Type == desk.Touched })
	attendance.Release()
	until("detached", func(ev desk.Event) bool { return ev.Type == desk.Touched && !ev.Record.Attended })
	reply(t, d, rec.ID, "x")
	until("ended", func(ev desk.Event) bool { return ev.Type == desk.Ended })
	stop()
	for range events { // or it makes the store anew while the test takes it away
	}
}
