package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
)

// envFill names the store that the test binary, run as a process of its own,
// writes to under a limit of the file size.
const envFill = "SPOOL_TEST_FILL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envFill); dir != "" {
		fill(dir)
	}
	if dir := os.Getenv(envRing); dir != "" {
		playRinger(dir)
	}
	if dir := os.Getenv(envHold); dir != "" {
		playHold(dir)
	}
	if dir := os.Getenv(envRespond); dir != "" {
		respond(dir, os.Args[1], os.Args[2])
	}
	goleak.VerifyTestMain(m)
}

func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("spool-test", dir, "tmpfs", 0, "size=256k,mode=700"); err != nil {
		t.Skip("needs the right to mount:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Probe(t.Context()); err != nil {
		t.Error("an empty disk:", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
		t.Error("the probe leaves", left)
	}
	for _, fill := range []func(context.Context, *Spool) (failure, fault error){putWhereItIsFull, fillUp} {
		failure, fault := fill(t.Context(), s)
		if fault != nil {
			t.Error(fault)
		}
		if !errors.Is(failure, syscall.ENOSPC) || !strings.Contains(failure.Error(), "free some space") {
			t.Errorf("a full disk: %v", failure)
		}
	}
	if failure := s.Probe(t.Context()); !errors.Is(failure, syscall.ENOSPC) {
		t.Errorf("a full disk is well: %v", failure)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if failure := s.Probe(t.Context()); !errors.Is(failure, syscall.EROFS) || !strings.Contains(failure.Error(), EnvDir) {
		t.Errorf("a read-only disk: %v", failure)
	}
}

func TestWriteFails(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envFill+"="+filepath.Join(t.TempDir(), "store"), "GORACE=atexit_sleep_ms=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// fill writes under a limit that lets through a part of each document.
func fill(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(dir)
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1000, Max: 1000})
	}
	if err == nil {
		var failure error
		if failure, err = fillUp(context.Background(), s); !errors.Is(failure, syscall.EFBIG) {
			err = errors.Join(err, fmt.Errorf("expected a file too large, got %w", failure))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// To open a named pipe is to wait for its writer: it must not keep anybody.
func TestPipeIsNoDocument(t *testing.T) {
	s := openNew(t)
	create(t, s, desk.KindPending, someID(2026, 11, 1), "x")
	id := someID(2026, 11, 2)
	if err := unix.Mkfifo(filepath.Join(s.Dir(), "pending", id+suffix), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), desk.KindPending, id); !errors.Is(err, desk.ErrDamaged) {
		t.Errorf("Get: %v", err)
	}
}
