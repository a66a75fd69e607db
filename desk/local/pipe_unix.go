//go:build unix

package local

import (
	"bufio"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lookAgain is how often a waiting process looks without being woken: the process that
// would wake it may have been killed right after its commit, or the store removed.
const lookAgain = time.Minute

// pipe is the named pipe of a process. A pipe without a reader tells that its process is
// dead; what is written to it wakes that process and no other.
type pipe struct {
	path string
	file *os.File
}

// newPipe makes a pipe, which has its reader before others can find it.
func newPipe(path string) (*pipe, error) {
	p := &pipe{path: path}
	dir := filepath.Dir(path)
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return nil, err
	}
	begun := filepath.Join(filepath.Dir(dir), rand.Text())
	err = syscall.Mkfifo(begun, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: begun, Err: err}
	}
	p.file, err = os.OpenFile(begun, os.O_RDWR, 0) // with a writer of its own it never ends
	if err == nil {
		err = os.Rename(begun, p.path)
	}
	if err != nil {
		_ = os.Remove(begun)
		return nil, err
	}
	return p, nil
}

// read calls woken with each id that is posted, until close.
func (p *pipe) read(woken func(id string)) {
	lines := bufio.NewReader(p.file)
	for {
		line, err := lines.ReadString('\n')
		if err != nil || line == "."+"\n" {
			_ = p.file.Close()
			return
		}
		woken(strings.TrimSuffix(line, "\n"))
	}
}

// close ends read, which may be in a system call that a close does not end.
func (p *pipe) close() {
	_ = os.Remove(p.path)
	_, _ = p.file.WriteString(".\n")
}

// openPipe opens the pipe of a living process. Where that fails for want of files, the process may
// live, and fd is none.
func openPipe(path string) (fd int, lives bool) {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	return fd, err != syscall.ENXIO && err != syscall.ENOENT
}

func pipeLives(path string) bool {
	fd, lives := openPipe(path)
	if lives {
		_ = syscall.Close(fd)
	}
	return lives
}

// wakePipe posts an id. A full pipe wakes its process too.
func wakePipe(path, id string) {
	fd, lives := openPipe(path)
	if lives {
		_, _ = syscall.Write(fd, []byte(id+"\n"))
		_ = syscall.Close(fd)
	}
}
