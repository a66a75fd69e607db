package ticker

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// All members are told together; the timer rests while there are none, and a
// moment that came too late to be stopped tells nobody.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // a moment may come while the last one is told
		var told [][]string
		g := New(time.Second, func(members []string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, slices.Sorted(slices.Values(members)))
		})
		g.Leave("nobody")
		time.Sleep(time.Minute)
		g.Join("a")
		g.Join("b")
		time.Sleep(1500 * time.Millisecond)
		g.Leave("a")
		g.Join("c")
		time.Sleep(time.Second)
		g.Leave("b")
		g.Leave("c")
		if g.timer.Stop() {
			t.Error("it goes on with nobody there")
		}
		g.strike()
		time.Sleep(time.Minute)
		g.Join("d")
		time.Sleep(1500 * time.Millisecond)
		g.Leave("d")
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if want := [][]string{{"a", "b"}, {"b", "c"}, {"d"}}; !slices.EqualFunc(told, want, slices.Equal) {
			t.Errorf("told %v, want %v", told, want)
		}
	})
}
