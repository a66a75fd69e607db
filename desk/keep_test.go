package desk_test

import (
	"errors"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
)

// What nobody has come back for within the keep time is ended, never answered;
// what is attended, or being worked on, is not.
func TestPendingExpires(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	detached := ask(t, d)
	held, _ := submit(t, d, request("Attended?"))
	typed := must(d.Ask(t.Context(), request("Typed?").Set, "", asker))
	fatal.If(t, after(t, dir, 20*time.Hour).SaveDraft(t.Context(), typed.ID, says("x")))

	if open := must(after(t, dir, -48*time.Hour).Pending(t.Context())); len(open) != 3 {
		t.Errorf("with the clock set back %d are open", len(open))
	}
	later := after(t, dir, 25*time.Hour)
	open := must(later.Pending(t.Context()))
	if len(open) != 2 || open[0].ID != held.ID || open[1].ID != typed.ID {
		t.Errorf("open are %+v", open)
	}
	if rec := must(later.Get(t.Context(), detached.ID)); rec.State != desk.Pending {
		t.Errorf("the listing has ended it: %+v", rec.Outcome)
	}
	later.TidyUp(t.Context())
	rec := must(later.Get(t.Context(), detached.ID))
	if rec.State != desk.Cancelled || rec.Outcome.Reply != nil || rec.Outcome.Reason != "nobody came back for the answer" {
		t.Errorf("expired as %+v", rec.Outcome)
	}
	for _, id := range []string{held.ID, typed.ID} {
		if rec := must(later.Get(t.Context(), id)); rec.Outcome != nil {
			t.Errorf("%s ended: %+v", rec.Questions[0].Text, rec.Outcome)
		}
	}
}

// What has ended is pruned where its user says so, but for what is an hour old or less: an
// asker may still ask for it.
func TestPrune(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	reply(t, d, rec.ID, "x")
	collected(t, d, rec, nil)
	for _, tc := range []struct {
		ahead time.Duration
		dry   bool
		rows  int
	}{{59 * time.Minute, false, 0}, {2 * time.Hour, true, 1}, {2 * time.Hour, false, 1}, {2 * time.Hour, false, 0}} {
		later := after(t, dir, tc.ahead)
		rows := 0
		for _, month := range must(later.Prune(t.Context(), time.Now().Add(48*time.Hour), tc.dry)) {
			rows += month.Rows
		}
		if rows != tc.rows {
			t.Errorf("%+v: %d rows", tc, rows)
		}
	}
	_, err := d.Get(t.Context(), rec.ID)
	if !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("pruned: %v", err)
	}
}
