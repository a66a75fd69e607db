//go:build !unix

package spool

import (
	"fmt"
	"io/fs"
	"os"

	"mcp-askuser/desk"
)

// checkOwner accepts every directory: access lists protect the user's own.
func checkOwner(string, fs.FileInfo, fs.FileMode) error { return nil }

// syncDir does nothing: directories cannot be synced here, and the file system
// journals names by itself.
func syncDir(string) error { return nil }

func rename(from, to string) error { return os.Rename(from, to) }

// readFile reads a document.
func readFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil, fmt.Errorf("%w: %s is %s of %d bytes", desk.ErrDamaged, path, info.Mode(), info.Size())
	}
	return os.ReadFile(path)
}
