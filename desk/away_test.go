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

// lossy is a store whose acknowledgement of an answer is lost.
type lossy struct{ store.Store }

func (s lossy) Answer(ctx context.Context, id string, end store.Ending) error {
	return errors.Join(s.Store.Answer(ctx, id, end), errors.New("the connection is gone"))
}

// A store that fails ends no question: the same reply is taken when it works again, and one
// that was stored though its acknowledgement was lost is the first.
func TestFailingStore(t *testing.T) {
	dir := storeDir(t)
	s := &desktest.Faulty{Store: openStore(t, dir)}
	d := desk.New(s, desk.Options{})
	broken := errors.New("disk on fire")
	s.Fail(broken)
	if _, _, err := d.Submit(t.Context(), request("Which?")); !errors.Is(err, broken) {
		t.Errorf("asked: %v", err)
	}
	s.Fail(nil)
	rec, attendance := submit(t, d, request("Which?"))
	s.FailAnswers(broken)
	if _, err := d.Reply(t.Context(), rec.ID, says("yes"), byPage); !errors.Is(err, broken) {
		t.Errorf("answered: %v", err)
	}
	if _, err := d.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled}); !errors.Is(err, broken) {
		t.Errorf("withdrawn: %v", err)
	}
	if got := must(d.Get(t.Context(), rec.ID)); got.Outcome != nil {
		t.Errorf("it ended: %+v", got.Outcome)
	}
	_, err := desk.New(lossy{s.Store}, desk.Options{}).Reply(t.Context(), rec.ID, says("yes"), byPage)
	if err == nil {
		t.Error("a lost acknowledgement is a success")
	}
	got := must(d.Wait(deadline(t), rec.ID))
	if text(got) != "yes" {
		t.Errorf("it is %q", text(got))
	}
	s.Fail(broken)
	if err := d.Delivered(t.Context(), rec.ID); !errors.Is(err, broken) {
		t.Errorf("delivered: %v", err)
	}
	s.Fail(nil)
	attendance.Release() // the caller died with its result
	again, attendance := submit(t, d, request("Which?"))
	attendance.Release()
	if again.ID != rec.ID || text(again) != "yes" {
		t.Errorf("asked again: %s %q", again.ID, text(again))
	}
}

// Of many who answer at once, each with a desk of its own, one is first; the others are told
// whose answer counts.
func TestRaceOfAnswers(t *testing.T) {
	dir := storeDir(t)
	rec, attendance := submit(t, open(t, dir), request("Who?"))
	defer attendance.Release()
	const answerers = 64
	results := make(chan desk.Record, answerers)
	for i := range answerers {
		d := open(t, dir)
		go func() {
			got, err := d.Reply(t.Context(), rec.ID, says(string(rune('0'+i))), byPage)
			if closed := (*desk.ClosedError)(nil); err != nil && !errors.As(err, &closed) {
				t.Error(err)
			}
			if err == nil {
				got.Round = -1 // it was the first
			}
			results <- got
		}()
	}
	firsts, texts := 0, map[string]bool{}
	for range answerers {
		got := <-results
		texts[text(got)] = true
		if got.Round == -1 {
			firsts++
		}
	}
	if firsts != 1 || len(texts) != 1 {
		t.Errorf("%d were first, with the answers %v", firsts, texts)
	}
}
