//go:build !unix

package spool

import (
	"fmt"
	"os"

	"mcp-askuser/desk"
)

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
