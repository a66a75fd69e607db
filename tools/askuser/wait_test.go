package askuser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/internal/waittest"
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

// Invariant: calls that wait end when their store is removed, and say so, also
// those that send no progress messages.
func TestCallsEndWithTheStore(t *testing.T) {
	r := newRig(t, ui.Elsewhere())
	_, results := r.startMany(3, 4)
	r.untilFiles("showing", 3)
	r.untilFiles("bells", 3)
	for os.RemoveAll(r.dir) != nil { // the calls write where they show what they ask
	}
	for i, got := range results {
		res := within(t, got)
		if status := res.status(t); status != "failed" || !strings.Contains(fmt.Sprint(res.Content), "its store was removed, or cannot be read any more") {
			t.Errorf("call %d: %s: %v", i, status, res.Content)
		}
	}
}

// untilFiles waits until a directory of the store has so many files.
func (r *rig) untilFiles(dir string, n int) {
	r.t.Helper()
	if !waittest.Until(patience, func() bool {
		files, _ := os.ReadDir(filepath.Join(r.dir, dir))
		return len(files) >= n
	}) {
		r.t.Fatalf("%s has fewer than %d files", dir, n)
	}
}

// silent is a store whose bells never ring, as where the user has no file
// notification left.
type silent struct{ *spool.Spool }

func (s silent) Bell(ctx context.Context, _ string, look func() bool) error {
	if look() {
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// Invariant: where nothing else tells that the store has gone, the next progress
// message of each call finds out.
func TestProgressFindsThatTheStoreHasGone(t *testing.T) {
	store, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := openStore(t, silent{store}, desk.Options{}, ui.Elsewhere())
	r.Tick, r.lookInterval = time.Second, time.Millisecond
	_, results := r.startMany(20, 1)
	if err := os.Rename(r.dir, r.dir+".gone"); err != nil {
		t.Fatal(err)
	}
	for i, got := range results {
		if status := within(t, got).status(t); status != "failed" {
			t.Errorf("call %d: %s", i, status)
		}
	}
}
