//go:build unix

package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noWait opens a file without following a symbolic link or waiting for the writer of
// a named pipe.
const noWait = unix.O_NOFOLLOW | unix.O_NONBLOCK

func checkOwner(path string, info fs.FileInfo, forbidden fs.FileMode) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d, and this is user %d: run as its owner, or %s",
			ErrUnsafe, path, st.Uid, os.Geteuid(), another)
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		return fmt.Errorf("%w: other users have access to %s (mode %04o): run chmod 700 %q, or %s", ErrUnsafe, path, mode, path, another)
	}
	return nil
}

// syncDir makes the names in a directory survive a power failure.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// rename is os.Rename in one system call: that looks at the target first.
func rename(from, to string) error {
	if err := unix.Rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
