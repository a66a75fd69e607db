// Package wholefile writes files atomically. It imports no other package of this
// program.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Put writes a temporary file beside path and syncs it. Place gives it the name path:
// [os.Rename] replaces an existing file, [os.Link] fails if there is one.
func Put(path string, data []byte, mode fs.FileMode, place func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.askuser-tmp")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // a renamed one is gone
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}
