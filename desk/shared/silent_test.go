package shared_test

import (
	"context"
	"net"
	"runtime"
	"testing"
	"time"

	"mcp-askuser/desk/shared"
	"mcp-askuser/internal/fatal"
)

// Calls that give up on a desk that does not answer leave no attempts behind that queue up, for
// as long as it is away.
func TestAttemptsDoNotQueueUp(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	fatal.If(t, err)
	defer func() { _ = silent.Close() }()
	s, err := shared.Open(shared.Options{URL: silent.Addr().String()})
	fatal.If(t, err)
	defer func() { _ = s.Close() }()
	const calls = 100
	before := runtime.NumGoroutine()
	for range calls {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, err = s.Get(ctx, "x")
		cancel()
		if err == nil {
			t.Fatal("it answers")
		}
	}
	if left := runtime.NumGoroutine() - before; left > calls/4 {
		t.Errorf("%d calls have left %d goroutines", calls, left)
	}
}
