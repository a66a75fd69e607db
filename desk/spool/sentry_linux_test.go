package spool

import (
	"errors"
	"os"
	"testing"
	"time"

	"mcp-askuser/desk"
)

// TestSentryOfReplacedStore checks that a process which begins to wait in a new
// store wakes those that wait in the removed one, though the kernel's signal has not
// been handled, and though the file system may give the new one the old inode.
func TestSentryOfReplacedStore(t *testing.T) {
	dir := t.TempDir() + "/store"
	pending := dir + "/" + string(desk.KindPending)
	if err := os.MkdirAll(pending, 0o700); err != nil {
		t.Fatal(err)
	}
	s := sentry{stop: func() {}} // nothing listens
	pipe := func() *os.File {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = r.Close(), w.Close() })
		return r
	}
	earlier, later := pipe(), pipe()
	woken := func(pipe *os.File) bool {
		conn, err := pipe.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		return errors.Is(conn.Read(func(uintptr) bool { return true }), os.ErrDeadlineExceeded)
	}
	s.join(dir, earlier)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(pending, 0o700)); err != nil {
		t.Fatal(err)
	}
	s.join(dir, later)
	if !woken(earlier) {
		t.Error("the earlier waiter was not woken")
	}
	if s.check(dir); woken(later) {
		t.Error("the later waiter was woken for nothing")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if s.join(dir, earlier); !woken(later) {
		t.Error("the waiter of a removed store was not woken")
	}
	_ = later.SetReadDeadline(time.Time{})
	s.join(dir, later)
	if s.join(dir, earlier); woken(later) {
		t.Error("two waiters of a removed store wake each other for ever")
	}
}
