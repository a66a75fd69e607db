package spool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"mcp-askuser/desk"
)

func watch(t *testing.T, s *Spool) <-chan desk.Change {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	changes, err := s.Watch(ctx)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		for range changes {
		}
	})
	return changes
}

func TestWatchTellsWhatOthersDo(t *testing.T) {
	s := openNew(t)
	changes := watch(t, s)
	if err := os.WriteFile(filepath.Join(s.Dir(), "pending", "foreign"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	id := someID(2026, 11, 1)
	create(t, openAgain(t, s), desk.KindPending, id, "x")
	if got, want := <-changes, (desk.Change{Kind: desk.KindPending, ID: id}); got != want {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

// TestWatchEndsWithItsDirectory: so it does where the store was moved away, for
// whoever knows it by its name.
func TestWatchEndsWithItsDirectory(t *testing.T) {
	remove := func(name string) func(dir string) error {
		return func(dir string) error { return os.RemoveAll(filepath.Join(dir, name)) }
	}
	for name, gone := range map[string]func(dir string) error{
		"pending": remove("pending"), "replies": remove("replies"), "all": remove(""),
		"moved": func(dir string) error { return os.Rename(dir, filepath.Join(t.TempDir(), "moved")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			changes := watch(t, s)
			if err := gone(s.Dir()); err != nil {
				t.Fatal(err)
			}
			select {
			case c, open := <-changes:
				if open {
					t.Errorf("got %+v", c)
				}
			case <-time.After(30 * time.Second):
				t.Error("the watch goes on")
			}
		})
	}
}

// The kernel keeps a limited number of events for one who does not read them.
func TestWatchOverflow(t *testing.T) {
	if _, err := os.Stat("/proc/sys/fs/inotify/max_queued_events"); err != nil {
		t.Skip("no inotify here")
	}
	s := openNew(t)
	changes := watch(t, s)
	pending := filepath.Join(s.Dir(), "pending")
	one, two := filepath.Join(pending, someID(2026, 11, 1)+suffix), filepath.Join(pending, someID(2026, 11, 2)+suffix)
	if err := os.WriteFile(one, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 10_000 { // two events each
		if err := os.Rename(one, two); err != nil {
			t.Fatal(err)
		}
		one, two = two, one
	}
	for c := range changes {
		if c.ID == "" {
			if !errors.Is(c.Err, fsnotify.ErrEventOverflow) {
				t.Errorf("got %+v", c)
			}
			return
		}
	}
	t.Error("the watch ended without a word about what it missed")
}

func TestWithoutNotification(t *testing.T) {
	s := openNew(t)
	scarce := errors.New("too many open files")
	s.newWatcher = func() (*fsnotify.Watcher, error) { return nil, scarce }
	s.pollInterval = time.Millisecond
	changes := watch(t, s)
	if c := <-changes; c.ID != "" || !errors.Is(c.Err, scarce) {
		t.Errorf("first %+v", c)
	}
	for range 3 {
		if c, ok := <-changes; !ok || c != (desk.Change{}) {
			t.Errorf("then %+v", c)
		}
	}
}

// A store that is deleted while its watch begins is watched all the same: nobody is
// left to look at it once a second for good.
func TestWatchBeginsWhileTheStoreIsDeleted(t *testing.T) {
	s := openNew(t)
	began := 0
	s.newWatcher = func() (*fsnotify.Watcher, error) {
		if began++; began == 1 {
			if err := os.RemoveAll(s.dir); err != nil {
				t.Error(err)
			}
		}
		return fsnotify.NewWatcher()
	}
	changes := watch(t, s)
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	for c := range changes { // it ends, as what is watched is gone
		if c.Err != nil {
			t.Fatal(c.Err)
		}
	}
}
