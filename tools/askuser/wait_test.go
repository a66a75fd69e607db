package askuser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// startMany starts calls that ask one question each, every so-manieth with a
// progress token, and returns when all wait: a call with a token when it has sent
// its first message.
func (r *rig) startMany(n, every int) (links []*link, results []<-chan result) {
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
		await(r.t, events, desk.Asked)
		if i%every == 0 {
			within(r.t, l.noted)
		}
	}
	return links, results
}

// Invariant: every call that has a token reports again and again, and no other;
// none after it has ended.
func TestProgressGoesOn(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	r.Tick = time.Millisecond
	links, results := r.startMany(6, 2)
	for i := 0; i < len(links); i += 2 {
		within(t, links[i].noted)
		within(t, links[i].noted)
	}
	pending, err := r.desk.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The channel of a link that is full would keep its call from ending.
	ended := make(chan struct{})
	defer close(ended)
	for _, l := range links {
		go func() {
			for {
				select {
				case <-l.noted:
				case <-ended:
					return
				}
			}
		}()
	}
	for _, rec := range pending {
		reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}}
		if _, err := r.desk.Reply(t.Context(), rec.ID, reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
	}
	for i, got := range results {
		within(t, got)
		if sent := links[i].sent.Load(); (sent > 0) != (i%2 == 0) {
			t.Errorf("call %d sent %d messages", i, sent)
		}
		if links[i].late.Load() {
			t.Errorf("call %d reports though it has ended", i)
		}
	}
}

// lost is a store that is removed while calls wait.
type lost struct {
	store.Store
	removed chan struct{}
}

func (s lost) Wait(ctx context.Context, _ string) (store.Row, error) {
	select {
	case <-s.removed:
		return store.Row{}, store.ErrLost
	case <-ctx.Done():
		return store.Row{}, context.Cause(ctx)
	}
}

// Invariant: calls that wait end when their store is removed, and say so, also
// those that send no progress messages.
func TestCallsEndWithTheStore(t *testing.T) {
	removed := make(chan struct{})
	r := openStore(t, lost{desktest.Store(t, t.TempDir()), removed}, desk.Options{}, ui.Elsewhere())
	_, results := r.startMany(3, 4)
	close(removed)
	for i, got := range results {
		res := within(t, got)
		if status := res.status(t); status != "failed" || !strings.Contains(fmt.Sprint(res.Content), "its store was removed") {
			t.Errorf("call %d: %s: %v", i, status, res.Content)
		}
	}
}
