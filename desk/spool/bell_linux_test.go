package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mcp-askuser/desk"
)

// envGrip names the store in which the test binary, run as a process of its
// own, is about to reply to the record named by its argument.
const envGrip = "SPOOL_TEST_GRIP"

// playGrip takes hold of the bells, says so, and stays like this.
func playGrip(dir string) {
	s, err := Open(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if _, err := s.grip(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("held")
	select {} // until it is killed
}

func hang(t *testing.T, s *Spool, id string) <-chan struct{} {
	t.Helper()
	rings, stop, err := s.Bell(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
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

// Invariant: every bell of a record rings for its reply, and no other's does.
func TestBell(t *testing.T) {
	s := openNew(t)
	id, other := someID(2026, 11, 1), someID(2026, 11, 2)
	mine, again, foreign := hang(t, s, id), hang(t, openAgain(t, s), id), hang(t, s, other)
	create(t, s, desk.KindPending, id, "x")
	silent(t, mine)
	create(t, openAgain(t, s), desk.KindReplies, id, "x")
	<-mine
	<-again
	silent(t, foreign)
	// One who was not first may ring too, and it is heard after the first.
	if err := s.Create(t.Context(), desk.KindReplies, id, nil); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	<-mine
}

// Invariant: a bell that is hung up while somebody is about to reply rings when
// the reply is there.
func TestBellHungUpLate(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 1)
	letGo, err := s.grip(id)
	if err != nil {
		t.Fatal(err)
	}
	rings := hang(t, s, id)
	silent(t, rings)
	letGo()
	<-rings
}

// Invariant: one who is killed while replying wakes whoever waits, as the
// reply may be there.
func TestBellRingsForTheDead(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 1)
	rings := hang(t, s, id)
	for range 3 {
		cmd := exec.Command(os.Args[0], id)
		cmd.Env = append(os.Environ(), envGrip+"="+s.Dir())
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		silent(t, rings)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		<-rings
	}
}

func TestBellsAreTakenDown(t *testing.T) {
	s := openNew(t)
	id := someID(2026, 11, 1)
	bells := filepath.Join(s.Dir(), bellDir)
	var stops []func()
	for range 2 {
		_, stop, err := s.Bell(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		stops = append(stops, stop)
	}
	for i, stop := range stops {
		stop()
		if left, err := names(filepath.Join(bells, id)); err != nil || len(left) != 1-i {
			t.Errorf("after %d have gone: %v, %v", i+1, left, err)
		}
	}
	// What the dead leave goes with the record.
	dead := someID(2026, 11, 2)
	create(t, s, desk.KindPending, dead, "x")
	if _, err := s.makePipe(filepath.Join(bells, dead)); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), desk.KindPending, dead); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(bells, dead)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the bells of the dead are still there:", err)
	}
	for _, bad := range []string{"", "..", "../x"} {
		if _, _, err := s.Bell(t.Context(), bad); err == nil {
			t.Errorf("a bell for %q", bad)
		}
	}
}
