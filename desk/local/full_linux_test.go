package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// TestDiskFull: on a disk that is full, at 20 levels, a write is done or fails with what to
// do. Each acknowledged row is stored once, its waiting call is woken, and once the disk has
// room again, writes succeed.
func TestDiskFull(t *testing.T) {
	disk := t.TempDir()
	err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m")
	if err != nil {
		t.Skip("a small disk takes the right to mount one: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	failed := 0
	for level := range 20 {
		dir := filepath.Join(disk, "store")
		filler := filepath.Join(disk, "filler")
		write(t, filler, make([]byte, 1<<20-(4096*(1+8*level))))
		s, user := Open(dir), Open(dir) // two processes
		said, drafts := map[string]string{}, map[string]string{}
		asked := 0
		for range 20 {
			asked++
			row, err := s.Ask(t.Context(), storetest.NewRow(strings.Repeat("Room? ", 2000)))
			if err == nil {
				said[row.ID] = ""
				err = user.Note(t.Context(), row.ID, store.Draft, func([]byte) ([]byte, error) { return []byte("Y"), nil })
			}
			if err == nil {
				drafts[row.ID] = "Y"
				err = user.Answer(t.Context(), row.ID, store.Ending{Outcome: []byte("Yes")})
			}
			if err == nil {
				said[row.ID] = "Yes"
				_, err = s.Wait(t.Context(), row.ID)
			}
			if err == nil {
				continue
			}
			failed++
			if !strings.Contains(err.Error(), "room") && !strings.Contains(err.Error(), "no space left") {
				t.Errorf("level %d: the error does not say what to do: %v", level, err)
			}
			break
		}
		fatal.If(t, os.Remove(filler))
		for id, want := range said {
			row, err := s.Get(t.Context(), id)
			if err != nil || want != "" && string(row.Outcome) != want || string(row.Notes[store.Draft]) != drafts[id] {
				t.Errorf("level %d: %s reads as %q, %q, %v", level, id, row.Outcome, row.Notes[store.Draft], err)
			}
		}
		stored := 0
		for _, err := range s.Rows(t.Context(), store.Query{}) {
			stored++
			if err != nil {
				t.Errorf("level %d: %v", level, err)
			}
		}
		if stored < len(said) || stored > asked {
			t.Errorf("level %d: %d rows of %d questions, of which %d were acknowledged", level, stored, asked, len(said))
		}
		_, err = s.Ask(t.Context(), storetest.NewRow("Room now?"))
		if err != nil {
			t.Errorf("level %d: with room again: %v", level, err)
		}
		_ = errors.Join(s.Close(), user.Close())
		fatal.If(t, os.RemoveAll(dir))
	}
	if failed < 10 {
		t.Errorf("only %d of 20 levels were full", failed)
	}
	t.Logf("%d of 20 levels were full", failed)
}

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
	// They have asked, and go to sleep: until none switches for longer than an unused connection is open.
	before, since := settled(), time.Now()
	asleep := func() bool {
		now := settled()
		if now != before {
			before, since = now, time.Now()
		}
		return time.Since(since) > idle+time.Second
	}
	if !waittest.Until(waittest.Patience, asleep) {
		t.Fatal("they do not go to sleep")
	}
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
