package desk_test

import (
	"errors"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
)

// What was asked before is asked again only where its asker still waits for it, or it is not the
// same, or it has no answer that is of use.
func TestSubmitAsksTheHumanOnce(t *testing.T) {
	answered := func(t *testing.T, d *desk.Desk, id string) { reply(t, d, id, "yes") }
	withdrawn := func(t *testing.T, d *desk.Desk, id string) {
		must(d.Close(t.Context(), id, desk.Outcome{Status: desk.Cancelled, Reason: "x"}))
	}
	for _, tc := range []struct {
		name    string
		waits   bool // the asker
		between func(t *testing.T, d *desk.Desk, id string)
		edit    func(*desk.Request)
		ahead   time.Duration
		again   bool // the same record is returned
	}{
		{name: "open and detached", again: true},
		{name: "its asker waits", waits: true},
		{name: "answered meanwhile", between: answered, again: true},
		{name: "withdrawn", between: withdrawn},
		{name: "other content", edit: func(r *desk.Request) { r.Set.Questions[0].Text = "Another?" }},
		{name: "other project", edit: func(r *desk.Request) { r.Asker.Directory = "/elsewhere" }},
		{name: "other client", edit: func(r *desk.Request) { r.Asker.Client = "other" }},
		{name: "another agent's token", edit: func(r *desk.Request) { r.Asker.Agent = "other" }},
		{name: "other session", edit: func(r *desk.Request) { r.Session = "s2" }, again: true},
		{name: "other metadata", edit: func(r *desk.Request) { r.Set.Metadata = nil }, again: true},
		{name: "just within the keep time", ahead: 23 * time.Hour, again: true},
		{name: "too old", ahead: 25 * time.Hour},
		{name: "with another time", edit: func(r *desk.Request) { r.Timeout = time.Hour }, again: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := storeDir(t)
			d := open(t, dir)
			first, attendance := submit(t, d, request("Which?"))
			if !tc.waits {
				attendance.Release()
			}
			want := ""
			if tc.between != nil {
				tc.between(t, d, first.ID)
				want = text(must(d.Get(t.Context(), first.ID)))
			}
			r := request("Which?")
			if tc.edit != nil {
				tc.edit(&r)
			}
			second, _ := submit(t, after(t, dir, tc.ahead), r)
			if (second.ID == first.ID) != tc.again || text(second) != want {
				t.Errorf("got %s (%s, %q) after %s", second.ID, second.State, text(second), first.ID)
			}
			worked := !must(d.Get(t.Context(), second.ID)).Worked.IsZero()
			if second.Timeout != r.Timeout.Seconds() || worked != (r.Timeout > 0) {
				t.Errorf("its time is %v, counted anew: %v", second.Timeout, worked)
			}
		})
	}
}

// Invariant: a yes reaches only the dialogue that asked for it, or one who has its ticket; one
// without a proof none that asks for a proof.
func TestOldYes(t *testing.T) {
	confirm := func(session string, prove bool) desk.Request {
		r := confirmation("mcp")
		r.Session, r.Prove = session, prove
		return r
	}
	for _, tc := range []struct {
		first, second string
		prove, again  bool
	}{
		{"s1", "s1", false, true}, {"s1", "s2", false, false}, {"s1", "", false, false}, {"", "", false, false},
		{"s1", "s1", true, false},
	} {
		for _, open1 := range []bool{false, true} {
			d := open(t, storeDir(t))
			first := detached(t, d, confirm(tc.first, false))
			if !open1 {
				must(d.Reply(t.Context(), first.ID, yes, byPage))
			}
			second, _ := submit(t, d, confirm(tc.second, tc.prove))
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
