package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// envHold names the store in which the test binary, run as a process of its
// own, holds the lock named by its argument.
const envHold = "SPOOL_TEST_HOLD"

// playHold takes the lock, says so, and keeps it.
func playHold(dir string) {
	s, err := Open(dir)
	if err == nil {
		_, err = s.Lock(context.Background(), desk.KindAskers, os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("held")
	killed := make(chan os.Signal, 1)
	signal.Notify(killed, os.Interrupt)
	<-killed
}

func lock(t *testing.T, s *Spool, name string) (release func()) {
	t.Helper()
	release, err := s.Lock(t.Context(), desk.KindAskers, name)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func isLocked(t *testing.T, s *Spool, name string) bool {
	t.Helper()
	locked, err := s.Locked(t.Context(), desk.KindAskers, name)
	if err != nil {
		t.Fatal(err)
	}
	return locked
}

func TestLockLeavesNothing(t *testing.T) {
	s := openNew(t)
	if isLocked(t, s, "a") {
		t.Error("locked before anybody came")
	}
	if _, err := os.Lstat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a look has created something: %v", err)
	}
	lock(t, s, "a")()
	if left, err := names(filepath.Join(s.Dir(), string(desk.KindAskers))); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Invariant: one who looks at a lock, however slow, is not taken for its owner.
func TestLockWhileSomebodyLooks(t *testing.T) {
	s := openNew(t)
	lock(t, s, "a")() // makes the directory
	path := filepath.Join(s.Dir(), string(desk.KindAskers), "a"+lockSuffix)
	look := flock.New(path)
	if got, err := look.TryRLock(); err != nil || !got {
		t.Fatal(got, err)
	}
	time.AfterFunc(300*time.Millisecond, func() { _ = look.Close() })
	lock(t, s, "a")()
}

// startOther runs the test binary as a process of its own, with a variable and an
// argument that tell it what to do, until it says that it is at it.
func startOther(t *testing.T, variable, arg string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], arg)
	cmd.Env = append(os.Environ(), variable)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 16))
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// Invariant: a lock goes with its process, however that ends.
func TestLockOfTheDead(t *testing.T) {
	s := openNew(t)
	for range 3 {
		kill := startOther(t, envHold+"="+s.Dir(), "a")
		if !isLocked(t, s, "a") {
			t.Error("another process's lock is not seen")
		}
		if _, err := s.Lock(t.Context(), desk.KindAskers, "a"); !errors.Is(err, desk.ErrLocked) {
			t.Errorf("another process holds it, and: %v", err)
		}
		kill()
		if isLocked(t, s, "a") {
			t.Error("the dead hold it")
		}
		if locks, err := s.Locks(t.Context(), desk.KindAskers); err != nil || len(locks) > 0 {
			t.Errorf("held: %v, %v", locks, err)
		}
		lock(t, s, "a")()
	}
	dir := filepath.Join(s.Dir(), string(desk.KindPresent))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"+lockSuffix), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if locks, err := s.Locks(t.Context(), desk.KindPresent); err != nil || len(locks) > 0 {
		t.Errorf("present: %v, %v", locks, err)
	}
	if left, err := names(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// What the dead left of records that are gone is swept; what is held, belongs
// to a record that is there, or may be about to, stays.
func TestWhatTheDeadLeftIsSwept(t *testing.T) {
	s := openNew(t)
	gone, held, there, lost := someID(2025, 11, 1), someID(2025, 11, 2), someID(2025, 11, 3), someID(2025, 11, 4)
	young := ulid.Make().String()
	create(t, s, desk.KindPending, there, "x")
	for _, id := range []string{gone, there, lost} {
		create(t, s, desk.KindReplies, id, "x")
	}
	defer lock(t, s, held)()
	for _, id := range []string{gone, there, young} {
		if err := os.WriteFile(filepath.Join(s.Dir(), "askers", id+lockSuffix), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(s.Dir(), bellDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), bellDir, gone), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	create(t, s, desk.KindArchive, gone, "x")

	for room, want := range map[string][]string{
		"askers":  {held + lockSuffix, there + lockSuffix, young + lockSuffix},
		"replies": {there + suffix, lost + suffix}, // a reply is thrown away only where the archive has it
		bellDir:   nil,
	} {
		got, err := names(filepath.Join(s.Dir(), room))
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("in %s: %v, %v; want %v", room, got, err, want)
		}
	}
	if !isLocked(t, s, held) {
		t.Error("the lock that is held was lost")
	}
}

// What is known of a session goes when it has asked nothing for long, and with
// it that its limit was lifted.
func TestOldSessionsAreSwept(t *testing.T) {
	s := openNew(t)
	old, open, young := someID(2025, 11, 1), someID(2025, 11, 2), ulid.Make().String()
	create(t, s, desk.KindPending, open, "x")
	for _, m := range []struct {
		mark     desk.Mark
		name, id string
	}{
		{desk.MarkSessions, "old", old},
		{desk.MarkSessions, "going-on", old}, {desk.MarkSessions, "going-on", young},
		{desk.MarkSessions, "open", old}, {desk.MarkSessions, "open", open},
		{desk.MarkLifted, "old", old}, {desk.MarkLifted, "going-on", old}, {desk.MarkLifted, "never-was", old},
		{desk.MarkLifted, "never-was-yet", young},
		{desk.MarkReopened, old, old}, {desk.MarkReopened, open, open},
	} {
		if err := s.Mark(t.Context(), m.mark, m.name, m.id); err != nil {
			t.Fatal(err)
		}
	}
	create(t, s, desk.KindArchive, old, "x")
	for room, want := range map[string][]string{"sessions": {"going-on", "open"}, "lifted": {"going-on", "never-was-yet"}, "reopened": {open}} {
		got, err := names(filepath.Join(s.Dir(), room))
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("in %s: %v, %v; want %v", room, got, err, want)
		}
	}
	if ids, err := s.Marks(t.Context(), desk.MarkSessions, "going-on"); err != nil || len(ids) != 2 {
		t.Errorf("of a session that goes on %v are left: %v", ids, err)
	}
}

func TestLockFailsClearly(t *testing.T) {
	s := openNew(t)
	lock(t, s, "a")()
	if err := os.Chmod(filepath.Join(s.Dir(), "askers"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(t.Context(), desk.KindAskers, "a"); !errors.Is(err, ErrUnsafe) {
		t.Errorf("in a room that others can write to: %v", err)
	}
	for err, says := range map[error]string{
		syscall.EMFILE:     "ulimit",
		syscall.ENOLCK:     EnvDir,
		syscall.EOPNOTSUPP: EnvDir,
	} {
		if got := advise(err); !errors.Is(got, err) || !strings.Contains(got.Error(), says) {
			t.Errorf("%v: %v", err, got)
		}
	}
}
