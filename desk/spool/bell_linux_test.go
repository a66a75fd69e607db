package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
)

// envRing names the store in which the test binary, run as a process of its
// own, is about to reply to the record named by its argument.
const envRing = "SPOOL_TEST_RING"

// playRinger takes hold of the bell, says so, and stays like this.
func playRinger(dir string) {
	s, err := Open(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if _, err := s.holdBell(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("held")
	select {} // until it is killed
}

// hang returns what rings whenever the bell has one look.
func hang(t *testing.T, s *Spool, id string) <-chan struct{} {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	rings, ended := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Bell(ctx, id, func() bool {
			select {
			case rings <- struct{}{}:
			default: // the last one is not heard yet
			}
			return false
		}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	<-rings // it looks at once
	return rings
}

func silent(t *testing.T, rings <-chan struct{}) {
	t.Helper()
	select {
	case <-rings:
		t.Error("it rings for nothing")
	default:
	}
}

// Invariant: one who was not first may ring too, and it is heard after the
// first, in other processes as well.
func TestBellRingsAgain(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 1)
	mine, again := hang(t, s, id), hang(t, openAgain(t, s), id)
	silent(t, mine)
	for n := range 3 {
		if err := openAgain(t, s).Decide(t.Context(), id, desk.RoleHuman, fmt.Append(nil, n)); (err == nil) != (n == 0) {
			t.Error(err)
		}
		<-mine
		<-again
	}
}

// Invariant: a bell that is hung up while somebody is about to reply rings when
// the reply is there.
func TestBellHungUpLate(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 1)
	ring, err := s.holdBell(id)
	if err != nil {
		t.Fatal(err)
	}
	rings := hang(t, s, id)
	silent(t, rings)
	ring()
	<-rings
}

// Invariant: one who is killed while replying wakes whoever waits, as the
// reply may be there.
func TestBellRingsForTheDead(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 1)
	rings := hang(t, s, id)
	for range 3 {
		kill := startOther(t, envRing+"="+s.Dir(), id)
		silent(t, rings)
		kill()
		<-rings
	}
}

// The pipe of a record goes with it, whoever still waits or has died waiting.
func TestBellGoesWithItsRecord(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 1)
	create(t, s, desk.KindPending, id, "x")
	for range 2 {
		hang(t, s, id)
	}
	if err := s.Delete(t.Context(), desk.KindPending, id); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(s.bellPath(id)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the bell is still there:", err)
	}
}

// Invariant: those who wait are woken when their store goes, or may have become
// unreadable, and by nothing that happens in its rooms, or to a file beside these.
func TestBellRingsForItsStore(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 3)
	create(t, s, desk.KindPending, id, "x")
	rings, others := hang(t, s, someID(2026, 11, 1)), hang(t, openAgain(t, s), someID(2026, 11, 2))
	signals := make(chan os.Signal, 1) // as the sentries get them
	signal.Notify(signals, unix.SIGIO)
	defer signal.Stop(signals)
	release, err := s.Lock(t.Context(), desk.KindAskers, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		s.Put(t.Context(), desk.KindDrafts, id, []byte("x")), s.Mark(t.Context(), desk.MarkContent, "c", id), s.Decide(t.Context(), id, desk.RoleHuman, []byte("x")),
		s.Create(t.Context(), desk.KindArchive, id, []byte("x")), s.Delete(t.Context(), desk.KindPending, id), s.Delete(t.Context(), desk.KindReplies, id),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	release()
	select {
	case <-signals:
		t.Error("what happens in a room is told")
	default:
	}
	file := filepath.Join(s.Dir(), "key")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Remove(file)); err != nil {
		t.Fatal(err)
	}
	<-signals
	s.sentry.check(s.Dir()) // as they do now
	silent(t, rings)
	for _, change := range []func() error{
		func() error { return os.Chmod(s.Dir(), 0o500) },
		func() error { return os.Chmod(s.Dir(), 0o700) },
		func() error { return os.Chmod(filepath.Join(s.Dir(), string(desk.KindPending)), 0o500) },
		func() error { return os.RemoveAll(s.Dir()) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		<-rings
		<-others
	}
}
