//go:build !unix

package spool

import (
	"io/fs"
	"os"
)

// noWait is nothing: here are no named pipes in directories.
const noWait = 0

// checkOwner accepts every directory: access lists protect the user's own.
func checkOwner(string, fs.FileInfo, fs.FileMode) error { return nil }

// syncDir does nothing: directories cannot be synced here, and the file system
// journals names by itself.
func syncDir(string) error { return nil }

func rename(from, to string) error { return os.Rename(from, to) }
