//go:build unix

package local

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/desk/store/storetest"
)

// Nobody else can read what is in the store, whatever the process's mask.
func TestNobodyElseCanRead(t *testing.T) {
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	s := Open(filepath.Join(t.TempDir(), "store"))
	defer func() { _ = s.Close() }()
	_, err := s.Ask(t.Context(), storetest.NewRow("Private?"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
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

// A pipe in place of the database is refused, and not waited for.
func TestPipeIsNoDatabase(t *testing.T) {
	s := Open(t.TempDir())
	err := syscall.Mkfifo(s.path(), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Ask(t.Context(), storetest.NewRow("Here?"))
	if err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Error(err)
	}
}
