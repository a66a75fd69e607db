package present_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/ui/present"
)

// unmarking is a store that notes when it prepares to take a mark out, and when it
// does so.
type unmarking struct {
	*spool.Spool
	mu    sync.Mutex
	steps []string
}

func (s *unmarking) note(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, step)
}

func (s *unmarking) noted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.steps)
}

func (s *unmarking) PrepareUnmark(ctx context.Context, mark desk.Mark, name, id string) (func() error, error) {
	s.note("prepared")
	unmark, err := s.Spool.PrepareUnmark(ctx, mark, name, id)
	return func() error {
		s.note("marked")
		return unmark()
	}, err
}

// A delivery is prepared before the caller knows the end, and so before it writes a
// response: afterwards only the mark is left to do. This holds for a call that
// waits, and for one that finds the end.
func TestDeliveryIsPrepared(t *testing.T) {
	for _, answered := range []string{"while a call waits", "before the call"} {
		t.Run(answered, func(t *testing.T) {
			near, err := spool.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			store := &unmarking{Spool: near}
			d := desk.New(store, desk.Options{})
			if answered == "before the call" {
				rec, attendance, err := d.Submit(t.Context(), request())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := d.Reply(t.Context(), rec.ID, reply("b"), desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
					t.Fatal(err)
				}
				attendance.Release()
			}
			r := newRig(t, func(o *present.Options) { o.Desk = d })
			w := r.ask(answers("one", "b"))
			if got := status(r.end(w)); answered == "while a call waits" && got != "answered one B" {
				t.Fatalf("the end is %s", got)
			}
			if got := store.noted(); !slices.Equal(got, []string{"prepared"}) {
				t.Fatalf("when the end is known, the store was asked for %q", got)
			}
			w.Delivered()
			if got := store.noted(); len(got) < 2 || got[1] != "marked" {
				t.Errorf("the delivery asks the store for %q", got)
			}
		})
	}
}
