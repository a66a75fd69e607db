//go:build unix

package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
)

// readFile reads a document with four system calls, where os.ReadFile and a
// look beforehand take ten: a search of the past is made of little else. It
// follows no symbolic link and does not wait for the writer of a named pipe.
func readFile(path string) ([]byte, error) {
	fd, err := uninterrupted(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%w: %s is a symbolic link", desk.ErrDamaged, path)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > maxSize {
		return nil, fmt.Errorf("%w: %s is of mode %o and %d bytes", desk.ErrDamaged, path, st.Mode, st.Size)
	}
	data := make([]byte, st.Size)
	for read := 0; read < len(data); {
		n, err := uninterrupted(func() (int, error) { return unix.Read(fd, data[read:]) })
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF // documents do not shrink
		}
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
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
