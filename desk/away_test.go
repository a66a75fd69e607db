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

// An answer that a shared desk does not take is kept as a draft, and the question stays open. One
// whose acknowledgement was lost is sent. One that is second returns an error with the first answer,
// and the record, whatever the desk did not do.
func TestUnacknowledgedAnswer(t *testing.T) {
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
	s.Before(nil)
	got, err := desk.New(deaf{s}, desk.Options{}).Reply(t.Context(), rec.ID, says("yes"), byPage)
	if err != nil || text(got) != "yes" {
		t.Errorf("sent again: %q, %v", text(got), err)
	}

	for _, method := range []string{"Answer", "Get"} {
		rec, _ = submit(t, d, request("First?"))
		other := desk.New(s.Store, desk.Options{})
		s.Before(func(ctx context.Context, c desktest.Call) error {
			if c.Method != method {
				return nil
			}
			s.Before(nil)
			must(other.Reply(ctx, rec.ID, says("no"), byPage))
			return store.ErrUnreachable
		})
		got, err = d.Reply(t.Context(), rec.ID, says("yes"), byPage)
		if !closed(err) || text(got) != "no" || got.ID != rec.ID || len(got.Questions) != 1 {
			t.Errorf("the second answer, where %s fails: %+v, %v", method, got, err)
		}
	}
}

// While the shared desk does not answer, what this machine has is found: by the start of an id,
// by its session, in the past, and for an agent that continues a session. What it does not have
// is not said to be nowhere.
func TestFoundWhileTheDeskIsAway(t *testing.T) {
	d := desk.New(away{openStore(t, storeDir(t))}, desk.Options{})
	rec, attendance := submit(t, d, request("Here?"))
	prefix, ctx := rec.ID[:20], t.Context()
	open := must(d.Find(ctx, prefix))
	reply(t, d, rec.ID, "yes")
	collected(t, d, rec, attendance)
	ended, session := must(d.Find(ctx, prefix)), must(d.Session(ctx, "s1"))
	past, err := past(t, d, desk.Query{})
	again := must(d.Reopen(ctx, rec.ID))
	if open.ID != rec.ID || ended.ID != rec.ID || again.Earlier != rec.ID {
		t.Errorf("found open is %s, ended %s, reopened %s", open.ID, ended.ID, again.Earlier)
	}
	if len(session) != 1 || len(past) != 1 || err != nil {
		t.Errorf("%d in its session, %d in the past, %v", len(session), len(past), err)
	}
	fatal.If(t, errors.Join(d.Continues(ctx, "another", rec.Asker), d.Lift(ctx, "s1")))
	_, found := d.Find(ctx, "01ZZ")
	_, continued := d.Session(ctx, "elsewhere")
	for _, err := range []error{found, continued, d.Lift(ctx, "elsewhere")} {
		if !errors.Is(err, desk.ErrUnreachable) {
			t.Errorf("what is elsewhere: %v", err)
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

// A watcher learns that a shared desk no longer answers, and that it answers again: what it shows is
// not all, or not known to be.
func TestWatchWhileTheDeskIsAway(t *testing.T) {
	d, s := faulty(t, storeDir(t), desk.Options{})
	rec := ask(t, d)
	w := watch(t, d)
	for _, failure := range []error{store.ErrUnreachable, nil} {
		s.FailRows(0, failure)
		fatal.If(t, d.SaveDraft(t.Context(), rec.ID, says("x"))) // a look, as the loss of a connection has
		w.touched("whether the desk answers", func(of desk.Record) bool { return of.ID == "" })
	}
}
