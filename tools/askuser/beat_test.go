package askuser

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// crowd starts calls that ask one question each, every so-manieth with a
// progress token, and returns when all wait.
func (r *rig) crowd(n, every int) (links []*link, results []<-chan result) {
	r.t.Helper()
	events, stop := r.watch()
	defer stop()
	for i := range n {
		l := &link{noted: make(chan string, 100)}
		req := request(fmt.Sprintf(`{"question":"Which %d?"}`, i))
		if i%every == 0 {
			req.Params.Meta = &mcp.Meta{ProgressToken: i}
		}
		links, results = append(links, l), append(results, r.start(r.t.Context(), l, req))
		for within(r.t, events).Type != desk.Asked {
		}
	}
	r.untilJoined((n + every - 1) / every)
	return links, results
}

// Invariant: at each beat every call that has a token reports, and no other.
// When the last has gone the clock rests.
func TestBeat(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	links, results := r.crowd(6, 2)
	drain(links)
	r.beat.strike(r.beat.Members())
	for i, l := range links {
		if got := len(l.noted); (got > 0) != (i%2 == 0) { // one of its own may be among them
			t.Errorf("call %d sent %d messages in a beat", i, got)
		}
	}
	pending, err := r.desk.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range pending {
		reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}}
		if _, err := r.desk.Reply(t.Context(), rec.ID, reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
	}
	for _, got := range results {
		within(t, got)
	}
	if len(r.beat.Members()) > 0 {
		t.Error("the clock goes on with nobody waiting")
	}
	drain(links)
	r.beat.strike(r.beat.Members()) // that came too late to be stopped
	if slices.ContainsFunc(links, func(l *link) bool { return len(l.noted) > 0 }) {
		t.Error("a call that has ended reports")
	}
}

// Invariant: calls that wait end when their store is removed, and say so; no beat has to
// tell them.
func TestCallsEndWithTheStore(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	_, results := r.crowd(3, 4)
	for os.RemoveAll(r.dir) != nil { // the calls write where they show what they ask
	}
	for i, got := range results {
		res := within(t, got)
		if status := res.status(t); status != "failed" || !strings.Contains(fmt.Sprint(res.Content), "its store was removed, or cannot be read any more") {
			t.Errorf("call %d: %s: %v", i, status, res.Content)
		}
	}
}

// deaf is a store whose bells ring for nobody, as where the user has no file
// notification left.
type deaf struct{ *spool.Spool }

func (s deaf) Bell(ctx context.Context, _ string, look func() bool) error {
	if look() {
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// Invariant: where nothing else tells that the store has gone, one beat tells all,
// however many wait.
func TestBeatTellsThatTheStoreHasGone(t *testing.T) {
	store, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := openStore(t, deaf{store}, desk.Options{}, ui.Elsewhere())
	_, results := r.crowd(2*looks, 1)
	if err := os.Rename(r.dir, r.dir+".gone"); err != nil {
		t.Fatal(err)
	}
	r.beat.strike(r.beat.Members())
	for i, got := range results {
		if status := within(t, got).status(t); status != "failed" {
			t.Errorf("call %d: %s", i, status)
		}
	}
}

// untilJoined waits until so many calls report.
func (r *rig) untilJoined(n int) {
	r.t.Helper()
	for len(r.beat.Members()) < n && r.t.Context().Err() == nil {
	}
}

func drain(links []*link) {
	for _, l := range links {
		for len(l.noted) > 0 {
			<-l.noted
		}
	}
}
