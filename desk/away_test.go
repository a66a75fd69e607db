package desk_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
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
		if q.Earlier == "" { // else of a row on this machine
			yield(store.Row{}, store.ErrUnreachable)
		}
	}
}

// While the shared desk does not answer, a session asks on this machine, and what happens
// there is watched.
func TestAskedWhileTheDeskIsAway(t *testing.T) {
	d := desk.New(away{openStore(t, storeDir(t))}, desk.Options{MaxRounds: 5})
	w := watch(t, d)
	rec, _ := submit(t, d, request("Here?"))
	if rec.Round != 1 {
		t.Errorf("the round is %d", rec.Round)
	}
	must(d.AtLimit(t.Context(), "s"))
	reply(t, d, rec.ID, "yes")
	w.next(desk.Asked, rec, "")
	w.next(desk.Ended, rec, "yes")
}

// An answer that a shared desk does not take is kept as a draft, and the question stays open.
func TestUnsent(t *testing.T) {
	d, s := faulty(t, storeDir(t), desk.Options{})
	rec, _ := submit(t, d, request("Sent?"))
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

// While the shared desk does not answer, what this machine has is found: by the start of an id,
// by its session, in the past, and for an agent that continues a session. What it does not have
// is not said to be nowhere.
func TestFoundWhileTheDeskIsAway(t *testing.T) {
	d := desk.New(away{openStore(t, storeDir(t))}, desk.Options{})
	r := request("Here?")
	r.Session = "s"
	rec, attendance := submit(t, d, r)
	found, err := d.Find(t.Context(), rec.ID[:20])
	if err != nil || found.ID != rec.ID {
		t.Errorf("open, by the start of its id: %s, %v", found.ID, err)
	}
	reply(t, d, rec.ID, "yes")
	collected(t, d, rec, attendance)
	found, err = d.Find(t.Context(), rec.ID[:20])
	if err != nil || found.ID != rec.ID {
		t.Errorf("ended, by the start of its id: %s, %v", found.ID, err)
	}
	session, err := d.Session(t.Context(), "s")
	if err != nil || len(session) != 1 {
		t.Errorf("its session: %d, %v", len(session), err)
	}
	past := 0
	for _, err := range d.History(t.Context(), desk.Query{}) {
		past++
		if err != nil {
			t.Errorf("the past: %v", err)
		}
	}
	if past != 1 {
		t.Errorf("the past has %d records", past)
	}
	err = d.Continues(t.Context(), "another", rec.Asker)
	if err != nil {
		t.Errorf("a session of its own: %v", err)
	}
	again, err := d.Reopen(t.Context(), rec.ID)
	if err != nil || again.Earlier != rec.ID {
		t.Errorf("reopened: %v", err)
	}
	err = d.Lift(t.Context(), "s")
	if err != nil {
		t.Errorf("lifted: %v", err)
	}
	for name, call := range map[string]func() error{
		"found":    func() error { _, err := d.Find(t.Context(), "01ZZ"); return err },
		"continue": func() error { _, err := d.Session(t.Context(), "elsewhere"); return err },
		"lift":     func() error { return d.Lift(t.Context(), "elsewhere") },
	} {
		err := call()
		if !errors.Is(err, desk.ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// deaf is a shared desk that stores outcomes, and whose acknowledgements are lost.
type deaf struct{ store.Store }

func (s deaf) Answer(ctx context.Context, id string, end store.Ending) error {
	err := s.Store.Answer(ctx, id, end)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: the connection was lost", store.ErrUnreachable)
}

// An answer whose acknowledgement was lost is sent: the record is returned with it.
func TestLostAcknowledgement(t *testing.T) {
	d := desk.New(deaf{openStore(t, storeDir(t))}, desk.Options{})
	rec, _ := submit(t, d, request("Sent?"))
	got, err := d.Reply(t.Context(), rec.ID, says("yes"), byPage)
	if err != nil || text(got) != "yes" {
		t.Errorf("sent: %q, %v", text(got), err)
	}
}

// An answer that is second returns an error with the first answer, also where the store did not
// acknowledge the second.
func TestLateWithoutAcknowledgement(t *testing.T) {
	dir := storeDir(t)
	d, s := faulty(t, dir, desk.Options{})
	other := desk.New(openStore(t, dir), desk.Options{})
	rec, _ := submit(t, d, request("Sent?"))
	s.Before(func(ctx context.Context, c desktest.Call) error {
		if c.Method != "Answer" {
			return nil
		}
		must(other.Reply(ctx, rec.ID, says("no"), byPage))
		return store.ErrUnreachable
	})
	_, err := d.Reply(t.Context(), rec.ID, says("yes"), byPage)
	if !errors.As(err, new(*desk.ClosedError)) {
		t.Errorf("the second answer: %v", err)
	}
}

// A list without what a shared desk has that does not answer is known to be one.
func TestListWhileTheDeskIsAway(t *testing.T) {
	d, s := faulty(t, storeDir(t), desk.Options{})
	ask(t, d)
	for _, want := range []error{desk.ErrUnreachable, nil} {
		s.FailRows(1, want)
		open, err := d.Pending(t.Context())
		if err != nil || len(open) != 1 || !errors.Is(d.Away(), want) {
			t.Errorf("%d questions, %v; the desk is away: %v", len(open), err, d.Away())
		}
	}
}

// A caller that withdraws its question while that is stored learns its id: a store elsewhere may
// have it by then, and would keep it before the user for a day.
func TestWithdrawnWhileItIsStored(t *testing.T) {
	ctx, withdraw := context.WithCancel(t.Context())
	d, s := faulty(t, storeDir(t), desk.Options{})
	s.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method == "Ask" {
			withdraw()
		}
		return nil
	})
	rec, attendance, err := d.Submit(ctx, desk.Request{Asker: asker, Set: set()})
	fatal.If(t, err)
	attendance.Release()
	must(d.Close(ctx, rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "withdrawn"}))
}
