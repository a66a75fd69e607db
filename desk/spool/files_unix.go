//go:build unix

package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
)

func checkOwner(path string, info fs.FileInfo, forbidden fs.FileMode) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d, and this is user %d: run as its owner, or %s",
			ErrUnsafe, path, st.Uid, os.Geteuid(), nameAnother)
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		return fmt.Errorf("%w: other users have access to %s (mode %04o): run chmod 700 %q, or %s", ErrUnsafe, path, mode, path, nameAnother)
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

// readFile reads a document with four system calls, where os.ReadFile takes ten: a
// search of the past is made of little else. It follows no symbolic link and does not
// wait for the writer of a named pipe.
func readFile(path string) (data []byte, err error) {
	defer func() {
		if err != nil && !errors.Is(err, desk.ErrDamaged) {
			err = &fs.PathError{Op: "read", Path: path, Err: err}
		}
	}()
	fd, err := uninterrupted(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%w: %s is a symbolic link", desk.ErrDamaged, path)
	}
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > maxSize {
		return nil, fmt.Errorf("%w: %s is of mode %o and %d bytes", desk.ErrDamaged, path, st.Mode, st.Size)
	}
	data = make([]byte, st.Size)
	for read := 0; read < len(data); {
		n, err := uninterrupted(func() (int, error) { return unix.Read(fd, data[read:]) })
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF // documents do not shrink
		}
		if err != nil {
			return nil, err
		}
		read += n
	}
	return data, nil
}

// uninterrupted repeats a system call that a signal broke off.
func uninterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// rename is os.Rename in one system call: that looks at the target first.
func rename(from, to string) error {
	if err := unix.Rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
