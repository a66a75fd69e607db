package desk_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"syscall"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

func replyOf(a question.Answer) question.Reply { return question.Reply{Answers: []question.Answer{a}} }

// old answers.
func old(d *desk.Desk) func(id string) error {
	return func(id string) error { return answers(says("old"))(d, id) }
}

// endedAs asks request("Which?"), ends it and has it collected, or not.
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
	discussed := says("so far")
	discussed.Discuss, discussed.Note = true, "why?"
	noted := says("old")
	noted.Note, noted.Answers[0].Note = "in haste", "for now"
	chosen, byTimeout := chose("pg"), chose("pg")
	byTimeout.By = question.ByTimeout
	halfway := says("half")
	for _, tc := range []struct {
		name      string
		end       func(*desk.Desk, string) error
		delivered bool
		draft     question.Reply // filled in; zero: nothing
	}{
		{"answered", answers(says("old")), false, says("old")},
		{"answered with notes", answers(noted), true, noted},
		{"answered by the timeout", answers(replyOf(byTimeout)), true, replyOf(chosen)},
		{"dismissed", answers(question.Reply{Dismissed: true, Reason: "not now"}), false, question.Reply{}},
		{"to be discussed", answers(discussed), true, says("so far")},
		{"timed out", closes(desk.Timeout), true, question.Reply{}},
		{"timed out halfway", func(d *desk.Desk, id string) error {
			return errors.Join(d.SaveDraft(t.Context(), id, halfway), closes(desk.Timeout)(d, id))
		}, false, halfway}, // what was typed ends with the delivery
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := storeDir(t)
			d := open(t, dir)
			old := endedAs(t, d, func(id string) error { return tc.end(d, id) }, tc.delivered)
			again, err := d.Reopen(t.Context(), old.ID)
			if err != nil || again.ID <= old.ID || again.Earlier != old.ID || again.State != desk.Pending || again.Attended {
				t.Fatalf("reopened: %+v, %v", again, err)
			}
			if again.Asker != old.Asker || again.SessionID != old.SessionID || again.Round != old.Round+1 ||
				again.Content != old.Content {
				t.Errorf("asked by another: %+v, was %+v", again, old)
			}
			draft, _, err := d.Draft(t.Context(), again.ID)
			if !reflect.DeepEqual(draft, tc.draft) || errors.Is(err, desk.ErrNotFound) != (tc.draft.Answers == nil) {
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

// Until the human has replied once more, what they said before is not lost: an
// asker who comes back waits for the new word, and one that was closed without
// leads back to the old.
func TestReopenLosesNothing(t *testing.T) {
	d, s := faulty(t, storeDir(t), desk.Options{})
	old := endedAs(t, d, old(d), false)
	s.Fail("Ask", syscall.ENOSPC)
	_, err := d.Reopen(t.Context(), old.ID)
	row, failed := s.Get(t.Context(), old.ID)
	if !errors.Is(err, syscall.ENOSPC) || failed != nil || row.Delivered {
		t.Errorf("with a full disk: %v; the former answer is collected: %t, %v", err, row.Delivered, failed)
	}
	s.Before(nil)
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
	old := endedAs(t, d, old(d), true)
	now, _ := submit(t, d, request("Which?"))
	if got, err := d.Reopen(t.Context(), old.ID); !errors.Is(err, desk.ErrPending) || got.ID != now.ID {
		t.Errorf("beside the same question: %s, %v", got.ID, err)
	}
}

// A confirmation without a session is found by its ticket alone, and so is what
// the human says when they go back to it. Their former yes is not filled in: any program may reopen it.
func TestReopenConfirmation(t *testing.T) {
	d := open(t, storeDir(t))
	r := confirmation("mcp")
	r.Session = ""
	rec, _ := submit(t, d, r)
	noted := question.Reply{Answers: slices.Clone(yes.Answers)}
	noted.Answers[0].Note = "today"
	must(d.Reply(t.Context(), rec.ID, noted, byPage))
	other, _ := submit(t, d, r)
	again, err := d.Reopen(t.Context(), rec.ID)
	if err != nil || again.ID == other.ID {
		t.Fatalf("reopened: %+v, %v", again, err)
	}
	draft, _, err := d.Draft(t.Context(), again.ID)
	want := replyOf(question.Answer{QuestionID: "q1", Note: "today"})
	if err != nil || !reflect.DeepEqual(draft, want) {
		t.Errorf("filled in: %+v, %v", draft, err)
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

// Of two processes that reopen one question at once, one does: the other learns that it is open.
func TestReopenOnce(t *testing.T) {
	d, s := faulty(t, storeDir(t), desk.Options{})
	unlike := confirmation("mcp")
	unlike.Session = ""
	for _, r := range []desk.Request{request("Which?"), unlike} {
		was := detached(t, d, r)
		must(d.Close(t.Context(), was.ID, desk.Outcome{Status: desk.Timeout}))
		var again desk.Record
		s.Before(func(ctx context.Context, c desktest.Call) error {
			if c.Method == "Ask" {
				again = must(desk.New(s.Store, desk.Options{}).Reopen(ctx, was.ID))
			}
			return nil
		})
		got, err := d.Reopen(t.Context(), was.ID)
		s.Before(nil)
		if !errors.Is(err, desk.ErrPending) || again.ID == "" || got.ID != again.ID {
			t.Errorf("reopened as %s, and as %s: %v", again.ID, got.ID, err)
		}
	}
}
