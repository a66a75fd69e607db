// Package smallfile reads small regular files whose names may lead to anything else: a
// named pipe, a device, a link out of a project. It imports no other package of this
// program.
package smallfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// maxSize is the size of the largest file that is read, in bytes.
const maxSize = 1 << 20

// Flags for a file of any kind: without O_NONBLOCK an open waits for the writer of a pipe.
const flags = os.O_RDONLY | syscall.O_NONBLOCK

// Read returns the content of a regular file of at most 1 MB. It follows symbolic links.
func Read(path string) ([]byte, error) {
	return read(os.OpenFile(path, flags, 0))
}

// ReadIn is [Read] for a name below a directory: it follows no symbolic link out of that.
func ReadIn(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return read(root.OpenFile(name, flags, 0))
}

// read checks the open file: one that is checked by its name may be replaced before it is
// opened.
func read(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errors.New("not a regular file")}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if len(data) > maxSize {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errors.New("larger than 1 MB")}
	}
	return data, err
}
