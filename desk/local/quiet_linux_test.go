package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// TestOthersSleep: a question and its answer wake no other waiting process: none switches
// its context by its own will meanwhile. WAITERS says how many wait.
func TestOthersSleep(t *testing.T) {
	waiters := 20
	if n := os.Getenv("WAITERS"); n != "" {
		_, err := fmt.Sscan(n, &waiters)
		fatal.If(t, err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	var all []*process
	for i := range waiters {
		p := start(t, dir, "ask", fmt.Sprint("question ", i))
		if line := p.line(); !strings.HasPrefix(line, "asked ") {
			t.Fatalf("an asker says %q", line)
		}
		all = append(all, p)
	}
	settled := func() (sum int) {
		for _, p := range all {
			sum += switches(t, p.Process.Pid)
		}
		return sum
	}
	// They have asked, and go to sleep: until none switches any more.
	quiet(t, settled)
	before := settled()
	s := Open(dir)
	row := storetest.Ask(t, s, "Quiet?")
	storetest.Answer(t, s, row.ID, "Yes")
	fatal.If(t, s.Delivered(t.Context(), row.ID))
	if after := settled(); after != before {
		t.Errorf("%d voluntary context switches in %d waiting processes", after-before, waiters)
	}
}

// switches returns the voluntary context switches of a process, all its threads together.
func switches(t *testing.T, pid int) (sum int) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(threads) == 0 {
		t.Fatal("no threads", err)
	}
	for _, status := range threads {
		data, _ := os.ReadFile(status)
		_, after, _ := strings.Cut(string(data), "\nvoluntary_ctxt_switches:")
		n := 0
		_, _ = fmt.Sscan(after, &n)
		sum += n
	}
	return sum
}

// quiet waits until the sum stays the same for longer than an unused connection is open.
func quiet(t *testing.T, sum func() int) {
	t.Helper()
	last, since := sum(), time.Now()
	waitFor(t, func() bool {
		now := sum()
		if now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > idle+time.Second
	})
}
