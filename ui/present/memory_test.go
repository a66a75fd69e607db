package present_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// TestMemoryOfAWaitingCall reports what one call that waits holds. It is run by
// hand, with ASK_TEST_MEMORY set.
func TestMemoryOfAWaitingCall(t *testing.T) {
	if os.Getenv("ASK_TEST_MEMORY") == "" {
		t.Skip("ASK_TEST_MEMORY is not set")
	}
	const calls = 2000
	r := newRig(t)
	held := func() (heap, stack uint64, goroutines int) {
		for range 5 { // each halves the stacks that have grown
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse, m.StackInuse, runtime.NumGoroutine()
	}
	heap, stack, goroutines := held()
	shown, end := make(chan struct{}, calls), make(chan struct{})
	defer close(end)
	for i := range calls {
		q := request()
		q.Set.Questions[0].Text = time.Duration(i).String()
		go func() {
			w, err := r.Ask(t.Context(), present.Question{Request: q, Surfaces: func(*present.Presentation) []ui.Surface {
				shown <- struct{}{}
				return []ui.Surface{ui.Elsewhere()}
			}})
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case <-w.Ended():
			case <-end:
			}
		}()
	}
	for range calls {
		<-shown
	}
	eventually(t, "each call has its goroutines", func() bool { return runtime.NumGoroutine() >= goroutines+3*calls })
	heapThen, stackThen, many := held()
	t.Logf("%d bytes of heap, %d of stacks and %.2f goroutines a call", (heapThen-heap)/calls, (stackThen-stack)/calls, float64(many-goroutines)/calls)
}
