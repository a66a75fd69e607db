// Package wholefile writes files atomically. It imports no other package of this
// program.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	tempSuffix = ".askuser-tmp"
	// staleAfter is the age at which a temporary file belongs to a writer that was killed:
	// a living one needs it for milliseconds.
	staleAfter = time.Minute
)

// Put writes a temporary file beside path and syncs it. Place gives it the name path:
// [os.Rename] replaces an existing file, [os.Link] fails if there is one. It removes what a
// writer that was killed has left.
func Put(path string, data []byte, mode fs.FileMode, place func(from, to string) error) error {
	dir, prefix := filepath.Dir(path), "."+filepath.Base(path)+"."
	f, err := os.CreateTemp(dir, prefix+"*"+tempSuffix)
	if err != nil {
		return err
	}
	removeStale(dir, prefix)
	defer func() { _ = os.Remove(f.Name()) }() //nolint:gosec // the caller names the file; a renamed one is gone
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}

func removeStale(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil { // the next writer tries again
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), tempSuffix) {
			continue
		}
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(filepath.Join(dir, e.Name())) //nolint:gosec // a name from the directory itself
		}
	}
}
