package desk_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
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
			must(d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "x"}))
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
			if tc.between != nil {
				tc.between(t, d, first, attendance)
			}
			r := request("Which?")
			if tc.edit != nil {
				tc.edit(&r)
			}
			other := desk.New(openStore(t, dir), desk.Options{Now: tc.clock})
			second, _ := submit(t, other, r)
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

func TestDraftsAndTheClock(t *testing.T) {
	now := time.Now()
	dir := storeDir(t)
	d := desk.New(openStore(t, dir), desk.Options{Now: func() time.Time { return now }})
	r := request("Which?")
	r.Timeout = time.Minute
	rec, attendance := submit(t, d, r)
	asked := rec.CreatedAt
	if at := rec.Deadline(); !at.Equal(asked.Add(time.Minute)) {
		t.Errorf("the deadline is %s", at)
	}
	if _, _, err := d.Draft(t.Context(), rec.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("a draft of nothing: %v", err)
	}
	now = now.Add(50 * time.Second)
	for _, typed := range []string{"P", "Po"} {
		fatal.If(t, d.SaveDraft(t.Context(), rec.ID, says(typed)))
	}
	again, _, err := open(t, dir).Draft(t.Context(), rec.ID)
	if err != nil || again.Answers[0].Custom != "Po" {
		t.Errorf("the draft is %+v, %v", again, err)
	}
	worked := must(d.Get(t.Context(), rec.ID))
	if at := worked.Deadline(); !at.Equal(asked.Add(110 * time.Second)) {
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
	unlimited := ask(t, d)
	if !unlimited.Deadline().IsZero() {
		t.Error("a deadline without a timeout")
	}
}

// The release of a question that was removed with its store logs no warning.
func TestReleasedAfterItsStoreWasRemoved(t *testing.T) {
	var log bytes.Buffer
	dir := storeDir(t)
	d := desk.New(openStore(t, dir), desk.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, attendance := submit(t, d, request("Lost?"))
	fatal.If(t, os.RemoveAll(dir))
	attendance.Release()
	if log.Len() > 0 {
		t.Errorf("the log says %s", log.String())
	}
}

// A question that is taken over has the time of the request that takes it over: its surfaces
// show that.
func TestTakenOverWithAnotherTimeout(t *testing.T) {
	d := desk.New(openStore(t, storeDir(t)), desk.Options{})
	r := request("Which?")
	first := detached(t, d, r)
	r.Timeout = time.Hour
	again, _ := submit(t, d, r)
	at := again.Deadline()
	if again.ID != first.ID || at.IsZero() || time.Until(at) > time.Hour {
		t.Errorf("%s with the deadline %v, want %s", again.ID, at, first.ID)
	}
}
