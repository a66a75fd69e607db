//go:build unix

package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// Nobody else can read what is in the store, whatever the process's mask.
func TestNobodyElseCanRead(t *testing.T) {
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	s := Open(filepath.Join(t.TempDir(), "store"))
	defer func() { _ = s.Close() }()
	_ = storetest.Ask(t, s, "Private?")
	seen := 0
	err := filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %s", path, info.Mode())
		}
		seen++
		return err
	})
	if err != nil || seen < 4 { // the directory, the database, its log, a pipe
		t.Errorf("%d files, %v", seen, err)
	}
}

// What killed processes have left is removed by one that begins, and what lives stays.
func TestDeadAreRemoved(t *testing.T) {
	dir := t.TempDir()
	living := Open(dir)
	defer func() { _ = living.Close() }()
	_ = storetest.Ask(t, living, "Alive?")
	dead := filepath.Join(dir, liveDir, "DEAD")
	fatal.If(t, syscall.Mkfifo(dead, 0o600))
	s := Open(dir)
	defer func() { _ = s.Close() }()
	_ = storetest.Ask(t, s, "Next?")
	for path, want := range map[string]bool{dead: false, living.pipe.path: true} {
		_, err := os.Stat(path)
		if (err == nil) != want {
			t.Errorf("%s is there: %v", path, err == nil)
		}
	}
}

// A pipe in place of the database is refused, and not waited for.
func TestPipeIsNoDatabase(t *testing.T) {
	s := Open(t.TempDir())
	fatal.If(t, syscall.Mkfifo(s.path(), 0o600))
	_, err := s.Ask(t.Context(), storetest.NewRow("Here?"))
	if err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Error(err)
	}
}

// A process whose pipe cannot be opened at the moment, for want of files, is not taken for dead.
func TestPipeThatCannotBeOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	asker, other := Open(dir), Open(dir)
	row := storetest.Ask(t, asker, "Mine?")
	path := filepath.Join(dir, liveDir, asker.ownName())
	fatal.If(t, os.Remove(path))
	fatal.If(t, os.Symlink(path, path)) // which fails like it, with an error of its own
	_, err := other.Attend(t.Context(), row.ID)
	if !errors.Is(err, store.ErrAttended) {
		t.Errorf("another process attends it: %v", err)
	}
}
