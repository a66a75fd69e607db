package desk_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
)

// away is a joined store whose shared desk does not answer.
type away struct{ store.Store }

func (s away) Rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for row, err := range s.Store.Rows(ctx, q) {
			if !yield(row, err) {
				return
			}
		}
		yield(store.Row{}, store.ErrUnreachable)
	}
}

// While the shared desk does not answer, a session asks on this machine, and what happens
// there is watched.
func TestAskedWhileTheDeskIsAway(t *testing.T) {
	d := desk.New(away{openStore(t, storeDir(t))}, desk.Options{MaxRounds: 5})
	events, err := d.Watch(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	rec, attendance := submit(t, d, request("Here?"))
	defer attendance.Release()
	if rec.Round != 1 {
		t.Errorf("the round is %d", rec.Round)
	}
	_, err = d.AtLimit(t.Context(), "s")
	if err != nil {
		t.Error(err)
	}
	reply(t, d, rec.ID, "yes")
	for _, want := range []desk.EventType{desk.Asked, desk.Ended} {
		ev, ok := <-events
		for ev.Type == desk.Touched {
			ev, ok = <-events
		}
		if !ok || ev.Type != want || ev.Record.ID != rec.ID {
			t.Fatalf("event %+v, want %s", ev, want)
		}
	}
}

// An answer that a shared desk does not take is kept as a draft, and the question stays open.
func TestUnsent(t *testing.T) {
	s := &desktest.Faulty{Store: openStore(t, storeDir(t))}
	d := desk.New(s, desk.Options{})
	rec, attendance := submit(t, d, request("Sent?"))
	defer attendance.Release()
	s.FailAnswers(store.ErrUnreachable)
	_, err := d.Reply(t.Context(), rec.ID, says("yes"), byPage)
	if !errors.Is(err, desk.ErrUnsent) {
		t.Fatal(err)
	}
	kept, _, err := d.Draft(t.Context(), rec.ID)
	if err != nil || len(kept.Answers) != 1 || kept.Answers[0].Custom != "yes" {
		t.Errorf("the draft is %+v, %v", kept, err)
	}
	s.FailAnswers(nil)
	got, err := d.Reply(t.Context(), rec.ID, says("yes"), byPage)
	if err != nil || text(got) != "yes" {
		t.Errorf("sent again: %q, %v", text(got), err)
	}
}
