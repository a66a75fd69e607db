package desk_test

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
)

// counting is an empty store that counts how often its rows are read.
type counting struct {
	store.Store
	changes chan struct{}
	reads   atomic.Int32
}

func (s *counting) Changes(context.Context, string) (<-chan struct{}, error) { return s.changes, nil }
func (s *counting) Revision(context.Context) (store.Revision, error)         { return store.Revision{}, nil }
func (s *counting) Rows(context.Context, store.Query) iter.Seq2[store.Row, error] {
	s.reads.Add(1)
	return func(func(store.Row, error) bool) {}
}

// A watcher leaves the asker time to take its answer, and reads once what happens at once.
func TestWatchSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &counting{changes: make(chan struct{}, 1)}
		_, err := desk.New(s, desk.Options{}).Watch(t.Context())
		fatal.If(t, err)
		synctest.Wait()
		before := s.reads.Load()
		for range 10 {
			select {
			case s.changes <- struct{}{}:
			default: // it is to look in any case
			}
			synctest.Wait()
			if s.reads.Load() != before {
				t.Fatal("it looked at once")
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := s.reads.Load() - before; got > 2 {
			t.Errorf("it read %d times what happened within 10 ms", got)
		}
	})
}
