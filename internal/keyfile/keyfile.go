// Package keyfile keeps a secret key of the user's in a file, which several processes
// share.
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

// Size is the length of a key in bytes.
const Size = 32

// New returns a random key.
func New() []byte {
	key := make([]byte, Size)
	_, _ = rand.Read(key) // never fails
	return key
}

// Make creates a key at path if there is none, and replaces one that other users may
// read.
func Make(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return put(path, os.Link) // another process may have created it meanwhile
	}
	if err == nil && (!info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0) {
		return Replace(path)
	}
	return err
}

// Replace replaces the key at path by a new one.
func Replace(path string) error { return put(path, os.Rename) }

// put writes a new key to a file, which place moves or links to path.
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

// Read returns the key at path; ok is false if it is missing or damaged.
func Read(path string) (key []byte, ok bool) {
	data, err := os.ReadFile(path)
	key, hexErr := hex.DecodeString(string(data))
	return key, err == nil && hexErr == nil && len(key) >= Size
}
