// Package keyfile keeps a secret key of the user's in a file, for as many
// processes as want it.
package keyfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"mcp-askuser/internal/wholefile"
)

// Size is how many bytes a key has.
const Size = 32

// New returns a key that nobody knows.
func New() []byte {
	key := make([]byte, Size)
	_, _ = rand.Read(key) // never fails
	return key
}

// Make sees to it that there is a key at path that nobody else could have read:
// where there is none, or others may read it, a new one is put there.
func Make(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return put(path, os.Link) // somebody else's may be there by now
	}
	if err == nil && (!info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0) {
		return Replace(path)
	}
	return err
}

// Replace puts another key in the place of the one at path, for every process
// that reads it from now on.
func Replace(path string) error { return put(path, os.Rename) }

// put writes a new key, and has place put it where it belongs.
func put(path string, place func(from, to string) error) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = wholefile.Put(path, []byte(hex.EncodeToString(New())), 0o600, place)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the key %s: %w", path, err)
	}
	return nil
}

// Read returns the key at path; ok is false where there is none, or a damaged
// one.
func Read(path string) (key []byte, ok bool) {
	data, err := os.ReadFile(path)
	key, wrong := hex.DecodeString(string(data))
	return key, err == nil && wrong == nil && len(key) >= Size
}
