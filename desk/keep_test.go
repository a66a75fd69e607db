package desk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
)

// after is a desk whose clock is ahead.
func after(t *testing.T, dir string, ahead time.Duration) *desk.Desk {
	return desk.New(openSpool(t, dir), desk.Options{Now: func() time.Time { return time.Now().Add(ahead) }})
}

// What nobody has come back for within the keep time is ended, never answered,
// and put away; what is attended, or being worked on, is not.
func TestPendingExpires(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	detached := ask(t, d)
	held, attendance := submit(t, d, request("Attended?"))
	defer attendance.Release()
	typed := must(d.Ask(t.Context(), request("Typed?").Set, "", asker))
	if err := after(t, dir, 20*time.Hour).SaveDraft(t.Context(), typed.ID, says("x")); err != nil {
		t.Fatal(err)
	}
	answered := must(d.Ask(t.Context(), request("Answered?").Set, "", asker))
	reply(t, d, answered.ID, "yes")
	lately := must(d.Ask(t.Context(), request("Answered lately?").Set, "", asker))
	reply(t, after(t, dir, 20*time.Hour), lately.ID, "yes")

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
	if err := later.Archive(t.Context(), answered.ID); err != nil { // a delivery ends what is overdue
		t.Fatal(err)
	}
	rec := must(later.Get(t.Context(), detached.ID))
	if rec.State != desk.Cancelled || rec.Outcome.Reply != nil || rec.Outcome.Reason != "nobody came back for the answer" {
		t.Errorf("expired as %+v", rec.Outcome)
	}
	for id, put := range map[string]bool{detached.ID: true, answered.ID: true, lately.ID: false, held.ID: false, typed.ID: false} {
		if _, err := os.Lstat(filepath.Join(dir, "pending", id+".json")); (err != nil) != put {
			t.Errorf("%s: put away is %v, want %v", must(d.Get(t.Context(), id)).Questions[0].Text, err != nil, put)
		}
	}
	// Its keep time began with the answer, which still reaches its asker.
	r := request("Answered lately?")
	r.Session = ""
	if again, attendance := submit(t, later, r); again.ID != lately.ID || text(again) != "yes" {
		t.Errorf("asked again: %+v", again)
	} else {
		attendance.Release()
	}
}

// An answer that is given at the moment in which a record expires is kept for
// the asker who comes back.
func TestAnswerInTheLastMoment(t *testing.T) {
	dir := storeDir(t)
	rec, attendance := submit(t, open(t, dir), request("Which?"))
	attendance.Release()
	later := func() time.Time { return time.Now().Add(25 * time.Hour) }
	d := desk.New(&tampered{Store: openSpool(t, dir), beforeCreate: once(desk.KindReplies, func() {
		reply(t, after(t, dir, 25*time.Hour), rec.ID, "yes")
	})}, desk.Options{Now: later})
	again, attendance := submit(t, d, request("Which?"))
	defer attendance.Release()
	if again.ID != rec.ID || text(again) != "yes" {
		t.Errorf("got %s %q after %s", again.ID, text(again), rec.ID)
	}
}

// nothingLeft fails unless these rooms of a store are empty.
func nothingLeft(t *testing.T, dir string, rooms ...string) {
	t.Helper()
	for _, room := range rooms {
		files, err := os.ReadDir(filepath.Join(dir, room))
		if err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Name())
		}
		if len(names) > 0 {
			t.Errorf("left in %s: %s", room, strings.Join(names, ", "))
		}
	}
}
