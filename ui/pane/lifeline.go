//go:build unix

package pane

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// wrapper makes the process that a pane runs hold its end of the lifeline,
// whatever program opened the pane and however the process ends. Its arguments
// are the lifeline's path, variables as NAME=value, the separator, and the
// command, which takes the shell's place. Some shells hide their descriptors
// from what they exec, hence the second redirection.
const wrapper = `exec 3>"$1" || exit 1
shift
echo $$ >&3
while [ "$1" != -- ]; do export "$1"; shift; done
shift
exec "$@" 3>&3`

// awaitAsker returns when nobody listens to this process's lifeline any more,
// and reports whether it had one. Without readers a pipe is in error.
func awaitAsker() bool {
	unix.CloseOnExec(3)
	fds := []unix.PollFd{{Fd: 3}}
	for {
		_, err := unix.Poll(fds, -1)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
}

// ring draws the human's attention to a pane they are not looking at.
const ring = `printf '\a'` + "\n"

const separator = "--"

// lifeline tells when the process in a pane starts and ends: a named pipe that
// it holds open for as long as it lives. The kernel closes it, even for a
// process that was killed.
type lifeline struct {
	dir     string
	reader  *os.File
	writer  *os.File      // ours, so that there is no end of file before the process comes
	started chan struct{} // closed when the process runs
	gone    chan struct{} // closed when it does no more, and after close
	process *os.Process   // set before started is closed; nil if it could not be identified
}

func newLifeline() (l *lifeline, err error) {
	l = &lifeline{started: make(chan struct{}), gone: make(chan struct{})}
	if l.dir, err = os.MkdirTemp("", "askuser-pane-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(l.dir)
		}
	}()
	if err := unix.Mkfifo(l.path(), 0o600); err != nil {
		return nil, fmt.Errorf("make a named pipe: %w", err)
	}
	if l.reader, err = os.OpenFile(l.path(), os.O_RDONLY|unix.O_NONBLOCK, 0); err != nil {
		return nil, err
	}
	if l.writer, err = os.OpenFile(l.path(), os.O_WRONLY|unix.O_NONBLOCK, 0); err != nil {
		_ = l.reader.Close()
		return nil, err
	}
	go l.listen()
	return l, nil
}

func (l *lifeline) path() string { return filepath.Join(l.dir, "alive") }

// command wraps argv, which is what follows the lifeline's path.
func (l *lifeline) command(argv []string, v view) []string {
	script := wrapper
	if v.elsewhere {
		script = ring + wrapper
	}
	return append([]string{"/bin/sh", "-c", script, "sh", l.path()}, argv...)
}

// listen reads the process's id, then waits for the end of file.
func (l *lifeline) listen() {
	defer close(l.gone)
	var pid int
	if _, err := fmt.Fscanln(l.reader, &pid); err != nil {
		return
	}
	l.process = l.identify(pid)
	// From here on nothing is left behind, even if we are killed.
	_ = os.RemoveAll(l.dir)
	_ = l.writer.Close()
	close(l.started)
	_, _ = io.Copy(io.Discard, l.reader)
}

// identify returns the process, unless that number means another one to us
// than to itself: a multiplexer outside a container we are in.
func (l *lifeline) identify(pid int) *os.Process {
	if pid <= 1 {
		return nil
	}
	if runtime.GOOS == "linux" {
		here, err := l.reader.Stat()
		there, none := os.Stat(fmt.Sprintf("/proc/%d/fd/3", pid))
		if err != nil || none != nil || !os.SameFile(here, there) {
			return nil
		}
	}
	process, _ := os.FindProcess(pid) // which never fails here
	return process
}

// close stops listening. A process that comes later finds no pipe and ends.
func (l *lifeline) close() {
	_ = os.RemoveAll(l.dir)
	_ = l.reader.Close()
	_ = l.writer.Close()
	<-l.gone
}
