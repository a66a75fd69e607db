package desk_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"mcp-askuser/desk"
)

// Invariant: an answer that lands at any moment between the commit of the
// question and the wait for it wakes the waiter.
func TestNoAnswerSlipsPastTheWaiter(t *testing.T) {
	const runs, atOnce = 1000, 10
	ctx := deadline(t)
	dir := storeDir(t)
	asking, answering := open(t, dir), open(t, dir)
	var wg sync.WaitGroup
	for worker := range atOnce {
		wg.Go(func() {
			for i := range runs / atOnce {
				want := strconv.Itoa(worker*runs + i)
				rec, err := asking.Ask(ctx, set(), "", asker)
				if err != nil {
					t.Error(err)
					return
				}
				replied := make(chan error, 1)
				go func() {
					_, err := answering.Reply(ctx, rec.ID, says(want), byPage)
					replied <- err
				}()
				got, err := asking.Wait(ctx, rec.ID)
				if err != nil || text(got) != want {
					t.Errorf("waited for %q: got %q, %v", want, text(got), err)
					return
				}
				if err := <-replied; err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestWaitEndsWithItsContext(t *testing.T) {
	d := open(t, storeDir(t))
	rec := ask(t, d)
	cause := errors.New("the client has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := d.Wait(ctx, rec.ID)
		ended <- err
	}()
	cancel(cause)
	if err := <-ended; !errors.Is(err, cause) {
		t.Errorf("Wait: %v", err)
	}
	if got, err := d.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending {
		t.Errorf("the record is %q, %v", got.State, err)
	}
}

func TestWaitSurvivesTheArchiving(t *testing.T) {
	ctx := deadline(t)
	dir := storeDir(t)
	d, other := open(t, dir), open(t, dir)
	for range 50 {
		rec := ask(t, d)
		got := make(chan desk.Record, 1)
		go func() {
			rec, err := d.Wait(ctx, rec.ID)
			if err != nil {
				t.Error(err)
			}
			got <- rec
		}()
		if _, err := other.Reply(ctx, rec.ID, says("yes"), byPage); err != nil {
			t.Fatal(err)
		}
		if err := other.Delivered(ctx, rec.ID); err != nil {
			t.Fatal(err)
		}
		if rec := <-got; text(rec) != "yes" {
			t.Fatalf("waited: %q", text(rec))
		}
	}
}
