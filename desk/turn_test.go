package desk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"mcp-askuser/desk"
)

// queue hands out turns in the order in which they were taken.
type queue struct {
	last   chan struct{}
	placed []string
}

// turn returns the next turn of the queue.
func (q *queue) turn(name string) func(context.Context) (func(), error) {
	before, after := q.last, make(chan struct{})
	q.last = after
	return func(ctx context.Context) (func(), error) {
		if before != nil {
			select {
			case <-before:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		return func() {
			q.placed = append(q.placed, name) // one at a time, or the race detector says so
			close(after)                      // once, or it panics
		}, nil
	}
}

// Numbers and ids are taken in the order of arrival, whatever the goroutines
// do; and who has its place holds up nobody, whether it asks, gets an
// earlier record, is refused or fails.
func TestTurns(t *testing.T) {
	ctx := deadline(t)
	dir := storeDir(t)
	d := desk.New(openSpool(t, dir), desk.Options{MaxRounds: 5})
	_, before := submit(t, d, request("The same?"))
	before.Release()

	var q queue
	requests := make([]desk.Request, 12)
	for i := range requests {
		requests[i] = request(fmt.Sprintf("Question %d?", i))
		if i == 4 {
			requests[i] = request("The same?")
		}
		requests[i].Turn = q.turn(requests[i].Set.Questions[0].Text)
	}
	records := make([]desk.Record, len(requests))
	var wg sync.WaitGroup
	for i, r := range slices.Backward(requests) {
		wg.Go(func() {
			rec, attendance, err := d.Submit(ctx, r)
			if err != nil {
				t.Error(err)
			}
			defer attendance.Release()
			records[i] = rec
		})
	}
	wg.Wait()
	last, round := "", 1
	for i, rec := range records {
		if i == 4 {
			continue
		}
		if round++; rec.ID <= last || rec.Round != round {
			t.Errorf("question %d is %s, round %d; want round %d", i, rec.ID, rec.Round, round)
		}
		last = rec.ID
	}
	for i, text := range q.placed {
		if text != requests[i].Set.Questions[0].Text {
			t.Errorf("place %d went to %q", i, text)
		}
	}

	gone := errors.New("the client has gone")
	r := request("Never asked?")
	r.Turn = func(context.Context) (func(), error) { return nil, gone }
	if _, attendance, err := d.Submit(ctx, r); !errors.Is(err, gone) || attendance != nil {
		t.Errorf("without a turn: %v", err)
	}
	full := errors.New("no space left")
	failing := desk.New(&tampered{Store: openSpool(t, dir), refuse: func(desk.Kind) error { return full }}, desk.Options{})
	placed := 0
	r.Turn = func(context.Context) (func(), error) { return func() { placed++ }, nil }
	if _, _, err := failing.Submit(ctx, r); !errors.Is(err, full) || placed != 1 {
		t.Errorf("refused: %v, and was placed %d times", err, placed)
	}
	for _, rec := range records {
		reply(t, d, rec.ID, "x")
	}
	var limit *desk.RoundLimitError
	if _, _, err := d.Submit(ctx, r); !errors.As(err, &limit) || placed != 2 {
		t.Errorf("at the limit: %v, and was placed %d times", err, placed)
	}
}

// The place is there before the commit, which the next need not wait for.
func TestPlacedBeforeTheCommit(t *testing.T) {
	placed := false
	d := desk.New(&tampered{Store: openSpool(t, storeDir(t)), beforeCreate: func(desk.Kind) {
		if !placed {
			t.Error("the next waits for the commit")
		}
	}}, desk.Options{})
	r := request("Which?")
	r.Turn = func(context.Context) (func(), error) { return func() { placed = true }, nil }
	_, attendance := submit(t, d, r)
	attendance.Release()
}
