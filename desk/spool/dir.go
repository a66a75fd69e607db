package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// EnvDir is the environment variable that names the store.
const EnvDir = "MCP_ASKUSER_DIR"

// nameAnother is the way out where this directory cannot be the store.
const nameAnother = "name another directory for the store with --dir or " + EnvDir

// app is the name of our directory among other programs' state.
const app = "mcp-askuser"

// Permission bits that other users must not have.
const (
	// othersWrite is for the store itself: its files and directories keep others out by
	// themselves, unless they can be replaced.
	othersWrite fs.FileMode = 0o022
	// othersAny is for the directories in it: ids and times are private.
	othersAny fs.FileMode = 0o077
)

// DefaultDir returns the directory of the store: $MCP_ASKUSER_DIR, else
// $XDG_STATE_HOME/mcp-askuser, else one in the platform's directory for state. It touches
// no file; github.com/adrg/xdg reads the environment and files before main runs.
func DefaultDir(getenv func(string) string) (string, error) {
	if dir := getenv(EnvDir); dir != "" {
		if !filepath.IsAbs(dir) {
			// The hosts start us in directories of their own: a relative
			// store would be a different one for each.
			return "", fmt.Errorf("the store %q (--dir or %s) must be an absolute path", dir, EnvDir)
		}
		return filepath.Clean(dir), nil
	}
	// The XDG specification has relative paths ignored.
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, app), nil
	}
	home, below := "HOME", []string{".local", "state"}
	switch runtime.GOOS {
	case "windows":
		home, below = "LOCALAPPDATA", nil
	case "darwin":
		below = []string{"Library", "Application Support"}
	}
	root := getenv(home)
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("no place for the store, as %s is %q: set it to an absolute path, or %s", home, root, nameAnother)
	}
	return filepath.Join(append(append([]string{root}, below...), app)...), nil
}

// makeDirs creates what is missing of the store and the given directories in
// it, with those in between, and refuses any that is not safe. It looks every
// time, which costs little beside the syncs of a commit.
func (s *Spool) makeDirs(paths ...string) error {
	if err := s.makeDir(s.dir, othersWrite); err != nil {
		return err
	}
	for _, path := range paths {
		if parent := filepath.Dir(path); parent != s.dir {
			if err := s.makeDir(parent, othersAny); err != nil {
				return err
			}
		}
		if err := s.makeDir(path, othersAny); err != nil {
			return err
		}
	}
	return nil
}

// makeDir leaves it to syncNames that the directory survives a power failure.
func (s *Spool) makeDir(path string, forbidden fs.FileMode) error {
	err := checkDir(path, forbidden)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if path == s.dir { // and perhaps those above it
		s.durable.Clear()
	}
	s.durable.Delete(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return advise(err)
	}
	err = os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrExist) { // another process was first
		return checkDir(path, forbidden)
	}
	return advise(err)
}

// unsyncable are the errors of directories above the store, of others, that cannot be
// opened, or synced.
var unsyncable = [...]error{fs.ErrPermission, errors.ErrUnsupported, syscall.EINVAL, syscall.EROFS}

// syncNames makes the names in a directory of the store survive a power failure, and
// with them the directory itself. That is looked after once in each process, up to the
// root: another process may have made it, or one above it, a moment ago.
func (s *Spool) syncNames(dir string) error {
	if err := syncDir(dir); err != nil {
		return advise(err)
	}
	var synced []string
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if _, lasts := s.durable.Load(dir); lasts {
			break
		}
		err := syncDir(parent)
		foreign := len(parent) < len(s.dir) && slices.ContainsFunc(unsyncable[:], func(e error) bool { return errors.Is(err, e) })
		if err != nil && !foreign {
			return advise(err)
		}
		synced = append(synced, dir)
	}
	for _, dir := range synced { // not before all above it are
		s.durable.Store(dir, true)
	}
	return nil
}

// checkDir refuses what is not a directory of our own that keeps others out.
func checkDir(path string, forbidden fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return advise(err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %s is a symbolic link: %s", ErrUnsafe, path, nameAnother)
	case !info.IsDir():
		return fmt.Errorf("%w: %s is not a directory: move it away, or %s", ErrUnsafe, path, nameAnother)
	}
	return checkOwner(path, info, forbidden)
}
