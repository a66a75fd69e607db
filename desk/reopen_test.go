package desk_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// ended asks request("Which?"), ends it and has it collected, or not.
func endedAs(t *testing.T, d *desk.Desk, end func(id string) error, delivered bool) desk.Record {
	t.Helper()
	rec, attendance := submit(t, d, request("Which?"))
	fatal.If(t, end(rec.ID))
	if delivered {
		collected(t, d, rec, attendance)
	}
	attendance.Release()
	return must(d.Get(t.Context(), rec.ID))
}

// However a question ended, the human can go back to it: their former answers
// are filled in, and what they say now reaches the asker, whether it asks the
// same again or awaits either ticket.
func TestReopen(t *testing.T) {
	closed := func(s desk.Status) func(*desk.Desk, string) error {
		return func(d *desk.Desk, id string) error {
			_, err := d.Close(t.Context(), id, desk.Outcome{Status: s, Reason: "x"})
			return err
		}
	}
	replied := func(r question.Reply) func(*desk.Desk, string) error {
		return func(d *desk.Desk, id string) error {
			_, err := d.Reply(t.Context(), id, r, byPage)
			return err
		}
	}
	noted := says("old")
	noted.Note, noted.Answers[0].Note = "in haste", "for now"
	byTimeout := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"pg"}, By: question.ByTimeout}}}
	halfway := says("half")
	for _, tc := range []struct {
		name  string
		end   func(*desk.Desk, string) error
		draft question.Reply // filled in; zero: nothing
	}{
		{"answered", replied(says("old")), says("old")},
		{"answered with notes", replied(noted), noted},
		{"answered by the timeout", replied(byTimeout), question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"pg"}}}}},
		{"dismissed", replied(question.Reply{Dismissed: true, Reason: "not now"}), question.Reply{}},
		{"to be discussed", replied(question.Reply{Discuss: true, Note: "why?", Answers: says("so far").Answers}), says("so far")},
		{"timed out", closed(desk.Timeout), question.Reply{}},
		{"timed out halfway", func(d *desk.Desk, id string) error {
			if err := d.SaveDraft(t.Context(), id, halfway); err != nil {
				return err
			}
			return closed(desk.Timeout)(d, id)
		}, halfway},
		{"withdrawn", closed(desk.Cancelled), question.Reply{}},
	} {
		for _, delivered := range []bool{false, true} {
			if delivered && tc.name == "timed out halfway" {
				continue // what was typed goes with the delivery
			}
			t.Run(tc.name, func(t *testing.T) {
				dir := storeDir(t)
				d := open(t, dir)
				old := endedAs(t, d, func(id string) error { return tc.end(d, id) }, delivered)
				again, err := d.Reopen(t.Context(), old.ID)
				if err != nil || again.ID <= old.ID || again.Earlier != old.ID || again.State != desk.Pending || again.Attended {
					t.Fatalf("reopened: %+v, %v", again, err)
				}
				if again.Asker != old.Asker || again.SessionID != old.SessionID || again.Round != old.Round+1 || again.Content != old.Content {
					t.Errorf("asked by another: %+v, was %+v", again, old)
				}
				draft, _, err := d.Draft(t.Context(), again.ID)
				same := func(a, b question.Answer) bool {
					return a.QuestionID == b.QuestionID && slices.Equal(a.Selected, b.Selected) && a.Custom == b.Custom && a.Note == b.Note && a.By == b.By
				}
				if none := errors.Is(err, desk.ErrNotFound); none != (len(tc.draft.Answers) == 0) || err != nil && !none ||
					!slices.EqualFunc(draft.Answers, tc.draft.Answers, same) || draft.Note != tc.draft.Note || draft.Discuss || draft.Dismissed {
					t.Errorf("filled in: %+v, %v; want %+v", draft, err, tc.draft)
				}
				if twice, err := d.Reopen(t.Context(), old.ID); !errors.Is(err, desk.ErrPending) || twice.ID != again.ID {
					t.Errorf("reopened while it is open: %s, %v", twice.ID, err)
				}
				if got := must(d.Latest(t.Context(), old.ID)); got.ID != again.ID {
					t.Errorf("the old ticket leads to %s", got.ID)
				}

				reply(t, d, again.ID, "new")
				other := open(t, dir)
				if got := must(other.Latest(t.Context(), old.ID)); text(got) != "new" {
					t.Errorf("by the old ticket: %+v", got.Outcome)
				}
				if got := must(other.Get(t.Context(), old.ID)); got.Outcome.ID != old.Outcome.ID {
					t.Errorf("the old record has become %+v", got.Outcome)
				}
				got, _ := submit(t, other, request("Which?"))
				if got.ID != again.ID || text(got) != "new" {
					t.Errorf("asked again: %s says %q", got.ID, text(got))
				}
			})
		}
	}
}

// Until the human has replied once more, what they said before is not lost: an
// asker who comes back waits for the new word, and one that was closed without
// leads back to the old.
func TestReopenLosesNothing(t *testing.T) {
	d := open(t, storeDir(t))
	old := endedAs(t, d, func(id string) error { reply(t, d, id, "old"); return nil }, false)
	again := must(d.Reopen(t.Context(), old.ID))

	got, attendance := submit(t, d, request("Which?"))
	if got.ID != again.ID || got.Outcome != nil || !got.Attended {
		t.Errorf("asked again: %+v", got)
	}
	attendance.Release()
	must(d.Close(t.Context(), again.ID, desk.Outcome{Status: desk.Timeout}))
	if got := must(d.Latest(t.Context(), old.ID)); text(got) != "old" {
		t.Errorf("after nobody answered: %+v", got)
	}
	third := must(d.Reopen(t.Context(), again.ID)) // goes back to the one that was answered last
	if third.Earlier != again.ID {
		t.Errorf("the third goes back to %s", third.Earlier)
	}
	reply(t, d, third.ID, "new")
	for _, id := range []string{old.ID, again.ID, third.ID} {
		if got := must(d.Latest(t.Context(), id)); text(got) != "new" {
			t.Errorf("%s leads to %+v", id, got.Outcome)
		}
	}
	if fourth := must(d.Reopen(t.Context(), old.ID)); fourth.Earlier != third.ID {
		t.Errorf("the fourth goes back to %s", fourth.Earlier)
	}
}

func TestReopenRefuses(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	pending := ask(t, d)
	mirrored := mirror(t, d)
	must(d.Settle(t.Context(), mirrored.ID, there("x")))
	brought := request("Known?")
	brought.Set.Questions[0].Collected = &question.Answer{QuestionID: "q1", Selected: []string{"pg"}, By: question.ByCaller}
	noted := must(d.Note(t.Context(), brought, desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}}))
	for id, want := range map[string]error{
		pending.ID:                   desk.ErrPending,
		mirrored.ID:                  desk.ErrNotAgain,
		noted.ID:                     desk.ErrNotAgain,
		"01JD0000000000000000000000": desk.ErrNotFound,
		"x":                          desk.ErrNotFound,
	} {
		if _, err := d.Reopen(t.Context(), id); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", id, err, want)
		}
	}

	// The same question, asked anew meanwhile, is not put beside itself.
	old := endedAs(t, d, func(id string) error { reply(t, d, id, "old"); return nil }, true)
	now, _ := submit(t, d, request("Which?"))
	if got, err := d.Reopen(t.Context(), old.ID); !errors.Is(err, desk.ErrPending) || got.ID != now.ID {
		t.Errorf("beside the same question: %s, %v", got.ID, err)
	}
}

// A confirmation without a session is found by its ticket alone, and so is what
// the human says when they go back to it.
func TestReopenConfirmation(t *testing.T) {
	d := open(t, storeDir(t))
	r := confirmation("mcp")
	r.Session = ""
	rec, _ := submit(t, d, r)
	must(d.Reply(t.Context(), rec.ID, yes, byPage))
	other, _ := submit(t, d, r)
	again, err := d.Reopen(t.Context(), rec.ID)
	if err != nil || again.ID == other.ID {
		t.Fatalf("reopened: %+v, %v", again, err)
	}
	if _, err := d.Reopen(t.Context(), rec.ID); !errors.Is(err, desk.ErrPending) {
		t.Errorf("a second time: %v", err)
	}
	must(d.Reply(t.Context(), again.ID, yes, byPage))
	if got := must(d.Latest(t.Context(), rec.ID)); got.ID != again.ID || got.State != desk.Answered {
		t.Errorf("by the ticket: %+v", got)
	}
	if got := must(d.Latest(t.Context(), other.ID)); got.ID != other.ID || got.State != desk.Pending {
		t.Errorf("the other's ticket: %+v", got)
	}
}

// Of several who reopen one question at once, in several processes, one does: the others get
// the same, or hear that it is open.
func TestReopenOnce(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	for range 20 {
		old := endedAs(t, d, func(id string) error { reply(t, d, id, "old"); return nil }, true)
		opened := make(chan error)
		for range 4 {
			go func() {
				_, err := open(t, dir).Reopen(t.Context(), old.ID)
				opened <- err
			}()
		}
		won := 0
		for range 4 {
			err := <-opened
			if err == nil {
				won++
			}
			if err != nil && !errors.Is(err, desk.ErrPending) {
				t.Error(err)
			}
		}
		now := must(d.Pending(t.Context()))
		if won == 0 || len(now) != 1 {
			t.Fatalf("%d reopened it, %d are open", won, len(now))
		}
		reply(t, d, now[0].ID, "x")
		collected(t, d, now[0], nil)
	}
}

// A question that is reopened after the clock was set back is found by its old ticket.
func TestReopenedAfterTheClockWasSetBack(t *testing.T) {
	dir := storeDir(t)
	first := ask(t, open(t, dir))
	reply(t, open(t, dir), first.ID, "yes")
	earlier := func() time.Time { return time.Now().Add(-time.Hour) }
	back := desk.New(openStore(t, dir), desk.Options{Now: earlier})
	again := must(back.Reopen(t.Context(), first.ID))
	latest := must(back.Latest(t.Context(), first.ID))
	if latest.ID != again.ID {
		t.Errorf("its ticket leads to %s (%s), not to %s", latest.ID, latest.State, again.ID)
	}
}
