package askuser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// arrivals hands out the turns of calls in the order in which link was called.
type arrivals struct{ last chan struct{} }

// link returns a link for the next call to arrive.
func (a *arrivals) link() *link {
	before, after := a.last, make(chan struct{})
	a.last = after
	if before == nil {
		before = make(chan struct{})
		close(before)
	}
	return &link{session: "dialogue", placed: after, turn: func(ctx context.Context) (func(), error) {
		if ctx.Err() != nil {
			go func() {
				<-before
				close(after)
			}()
			return nil, context.Cause(ctx)
		}
		<-before
		return sync.OnceFunc(func() { close(after) }), nil
	}}
}

// TestOrderOfArrival: ids and rounds follow the order in which the calls of a
// session arrive, whatever their goroutines do. A call that joins an open
// question, finds one that was asked before, is cancelled or is refused lets the
// next proceed.
func TestOrderOfArrival(t *testing.T) {
	const limit = 10
	store := desktest.Store(t, t.TempDir())
	r := openStore(t, store, desk.Options{MaxRounds: limit}, ui.Elsewhere())
	ask := func(i int) string {
		return fmt.Sprintf(`{"questions":[{"question":"Question %d?","options":["A","B"]}]}`, i)
	}
	gone, leave := context.WithCancelCause(t.Context())

	earlier := r.start(gone, &link{session: "dialogue"}, request(ask(8)))
	r.open()
	leave(ErrDisconnected)
	within(t, earlier)

	var order arrivals
	links := make([]*link, 12)
	for i := range links {
		links[i] = order.link()
	}
	ends := make([]<-chan result, len(links))
	for i, l := range slices.Backward(links) {
		ctx, arguments := t.Context(), ask(i)
		switch i {
		case 3: // joins the one before it
			arguments = ask(2)
		case 6:
			ctx = gone
		}
		ends[i] = r.start(ctx, l, request(arguments))
	}
	within(t, links[11].placed)
	if got := within(t, ends[6]); !errors.Is(got.err, ErrDisconnected) {
		t.Errorf("the cancelled call: %+v, %v", got.CallToolResult, got.err)
	}

	records, err := r.desk.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(records, func(a, b desk.Record) int { return a.Round - b.Round })
	want := []int{8, 0, 1, 2, 4, 5, 7, 9, 10, 11}
	if len(records) != len(want) {
		t.Fatalf("%d questions are open, want %d", len(records), len(want))
	}
	last := ""
	for i, rec := range records {
		if text := fmt.Sprintf("Question %d?", want[i]); rec.Questions[0].Text != text || rec.Round != i+1 || rec.ID <= last {
			t.Errorf("%q is round %d, id %s; want %q, round %d, after %s", rec.Questions[0].Text, rec.Round, rec.ID, text, i+1, last)
		}
		last = rec.ID
		if _, err := r.desk.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
	}

	for i := 12; i < 14; i++ {
		if got := within(t, r.start(t.Context(), order.link(), request(ask(i)))); got.err != nil || !got.IsError {
			t.Errorf("call %d, beyond the limit: %+v, %v", i, got.CallToolResult, got.err)
		}
	}
}
