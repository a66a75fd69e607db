package desk_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
)

// Invariant: the answer to an asker that died reaches the next that asks the same: one alone,
// of however many ask at once.
func TestAnswerOfADeadAsker(t *testing.T) {
	const askers = 16
	dir := storeDir(t)
	asking := openStore(t, dir)
	rec, _ := submit(t, desk.New(asking, desk.Options{}), request("Which?"))
	fatal.If(t, asking.Close()) // as by a kill
	reply(t, open(t, dir), rec.ID, "yes")

	var mu sync.Mutex
	texts, ids := map[string]int{}, map[string]bool{}
	var all sync.WaitGroup
	for range askers {
		d := open(t, dir)
		all.Go(func() {
			got, attendance, err := d.Submit(t.Context(), request("Which?"))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			t.Cleanup(attendance.Release)
			texts[text(got)]++
			ids[got.ID] = true
		})
	}
	all.Wait()
	if texts["yes"] != 1 || len(ids) != askers || !ids[rec.ID] {
		t.Errorf("%d askers have %d records, with the answers %v", askers, len(ids), texts)
	}
}

// A question whose asker does not come back within the keep time is ended, never answered;
// what is attended, or being worked on, is not. A damaged one keeps no other from being ended.
func TestPendingExpires(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	damaged, detached := ask(t, d), ask(t, d)
	held, _ := submit(t, d, request("Attended?"))
	typed := put(t, d, request("Typed?").Set, "", asker)
	fatal.If(t, after(t, dir, 20*time.Hour).SaveDraft(t.Context(), typed.ID, says("x")))
	desktest.Overwrite(t, dir, damaged.ID, desktest.Asked, func([]byte) []byte { return []byte(`{`) })

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
	left := must(after(t, dir, -48*time.Hour).Pending(t.Context()))
	if len(left) != 2 || left[0].ID != held.ID || left[1].ID != typed.ID {
		t.Errorf("with the clock set back %+v are open", left)
	}
}

// A question that its asker has waited for, or has come back for, is kept from then on.
func TestKeptSinceItsAskerWaited(t *testing.T) {
	for _, back := range []bool{false, true} {
		now := time.Now()
		d := desk.New(openStore(t, storeDir(t)), desk.Options{Now: func() time.Time { return now }})
		rec, attendance := submit(t, d, request("Which?"))
		if back {
			attendance.Release()
			now = now.Add(20 * time.Hour)
			attendance = must(d.Attend(t.Context(), rec.ID))
		}
		now = now.Add(20 * time.Hour)
		attendance.Release()
		for _, tc := range []struct {
			later time.Duration
			open  int
		}{{20 * time.Hour, 1}, {5 * time.Hour, 0}} {
			now = now.Add(tc.later)
			if open := must(d.Pending(t.Context())); len(open) != tc.open {
				t.Errorf("back %t: %d are open %v later", back, len(open), tc.later)
			}
		}
	}
}

// What has ended is pruned where its user says so; dry, it is only counted.
func TestPrune(t *testing.T) {
	d := open(t, storeDir(t))
	rec := ask(t, d)
	reply(t, d, rec.ID, "x")
	collected(t, d, rec, nil)
	for i, want := range []int{1, 1, 0} {
		rows := must(d.Prune(t.Context(), time.Now().Add(time.Hour), i == 0))
		if rows != want {
			t.Errorf("%d: %d rows, want %d", i, rows, want)
		}
	}
	_, err := d.Get(t.Context(), rec.ID)
	if !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("pruned: %v", err)
	}
}
