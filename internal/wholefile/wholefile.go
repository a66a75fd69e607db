// Package wholefile writes files that nobody ever finds half written. It imports
// nothing of ours.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Put writes a file beside path, syncs it, and has place give it that name:
// [os.Rename] in the place of another, [os.Link] only where there is none.
func Put(path string, data []byte, mode fs.FileMode, place func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
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
