package desk_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"mcp-askuser/desk"
)

// Invariant: of many who end a record at once, each from one of several desks, one is first,
// also while the asker collects the outcome. The others receive the first outcome, and so do
// the asker and every later reader.
func TestFirstAnswerWins(t *testing.T) {
	const desks, perDesk, rounds = 8, 8, 5
	ctx := deadline(t)
	dir := storeDir(t)
	asking := open(t, dir)
	var answering []*desk.Desk
	for range desks {
		answering = append(answering, open(t, dir))
	}
	for round := range rounds {
		rec, attendance := submit(t, asking, request(fmt.Sprintf("Round %d?", round)))
		var mu sync.Mutex
		told := map[string]int{} // by the id of the outcome
		firsts := 0
		tell := func(o *desk.Outcome, first bool) {
			mu.Lock()
			defer mu.Unlock()
			told[o.ID]++
			if first {
				firsts++
			}
		}
		start := make(chan struct{})
		var all sync.WaitGroup
		for i := range desks * perDesk {
			all.Go(func() {
				<-start
				var got desk.Record
				var err error
				if i%16 == 15 { // its time is up
					got, err = answering[i%desks].Close(ctx, rec.ID, desk.Outcome{Status: desk.Timeout})
				} else {
					got, err = answering[i%desks].Reply(ctx, rec.ID, says(strconv.Itoa(i)), byPage)
				}
				late, is := errors.AsType[*desk.ClosedError](err)
				switch {
				case err == nil:
					tell(got.Outcome, true)
				case is:
					tell(&late.Outcome, false)
				default:
					t.Error(err)
				}
			})
		}
		all.Go(func() {
			<-start
			got, err := asking.Wait(ctx, rec.ID)
			if err == nil {
				tell(got.Outcome, false)
				err = asking.Delivered(ctx, rec.ID)
			}
			if err != nil {
				t.Error(err)
			}
		})
		close(start)
		all.Wait()
		attendance.Release()

		outcome := must(answering[0].Get(t.Context(), rec.ID)).Outcome
		if firsts != 1 || told[outcome.ID] != desks*perDesk+1 {
			t.Fatalf("%d were first; told were %v, and it ended as %s", firsts, told, outcome.ID)
		}
	}
}
