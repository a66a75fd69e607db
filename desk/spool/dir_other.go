//go:build !unix

package spool

import "io/fs"

// checkOwner accepts every directory: access lists protect the user's own.
func checkOwner(string, fs.FileInfo, fs.FileMode) error { return nil }

// syncDir does nothing: directories cannot be synced here, and the file system
// journals names by itself.
func syncDir(string) error { return nil }
