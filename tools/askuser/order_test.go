package askuser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
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
	return &link{session: "dialogue", placed: after, turn: func(context.Context) (func(), error) {
		<-before
		return sync.OnceFunc(func() { close(after) }), nil
	}}
}

// TestOrderOfArrival: ids and rounds follow the order in which the calls of a session arrive,
// whatever their goroutines do. A call that joins an open question, or is refused, lets the next
// proceed.
func TestOrderOfArrival(t *testing.T) {
	const joins, calls = 3, 8
	r := openDesk(t, desk.Options{MaxRounds: calls - 1}, ui.Elsewhere())
	var order arrivals
	links := make([]*link, calls)
	for i := range links {
		links[i] = order.link()
	}
	for i, l := range slices.Backward(links) {
		asked := i
		if i == joins {
			asked = i - 1
		}
		r.start(t.Context(), l, request(fmt.Sprintf(`{"question":"Question %d?"}`, asked)))
	}
	waittest.Take(t, links[calls-1].placed)
	want := []int{0, 1, 2, 4, 5, 6, 7}
	records := r.pending(len(want))
	slices.SortFunc(records, func(a, b desk.Record) int { return a.Round - b.Round })
	last := ""
	for i, rec := range records {
		if text := fmt.Sprintf("Question %d?", want[i]); rec.Questions[0].Text != text || rec.Round != i+1 || rec.ID <= last {
			t.Errorf("%q is round %d, id %s; want %q, round %d, after %s", rec.Questions[0].Text, rec.Round, rec.ID, text, i+1, last)
		}
		last = rec.ID
		_, err := r.desk.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, desk.Evidence{Surface: "inbox", How: desk.HowPage})
		fatal.If(t, err)
	}
	for range 2 {
		got := waittest.Take(t, r.start(t.Context(), order.link(), request(which)))
		if got.err != nil || !got.IsError {
			t.Errorf("beyond the limit: %+v, %v", got.CallToolResult, got.err)
		}
	}
}

// Agents with tokens ask for themselves: what one asks the other does not join,
// and its ticket is none for the other.
func TestAgentsAreApart(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	agents := []string{"a", "b", ""}
	for n, agent := range agents {
		r.start(t.Context(), &link{agent: agent}, request(which))
		r.pending(n + 1)
	}
	for _, rec := range r.pending(len(agents)) {
		want := map[string]string{"a": "a:connection", "b": "b:connection", "": "connection"}[rec.Asker.Agent]
		if rec.SessionID != want {
			t.Errorf("the dialogue of %q is %q", rec.Asker.Agent, rec.SessionID)
		}
		for _, agent := range agents {
			if agent == rec.Asker.Agent {
				continue
			}
			got := waittest.Take(t, r.startAwait(t.Context(), &link{agent: agent}, []string{rec.ID}, ""))
			if !strings.Contains(got.text(t), "no question has the id") {
				t.Errorf("%q gets the ticket of %q: %s", agent, rec.Asker.Agent, got.text(t))
			}
		}
	}
}
