//go:build unix

package pane

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// wrapper opens the lifeline and replaces itself by the command, which keeps it
// open. Its arguments are the lifeline's path, variables as NAME=value, the
// separator, and the command. Some shells hide their descriptors from what they
// exec, hence the second redirection.
const wrapper = `exec 3>"$1" || exit 1
shift
echo $$ >&3
while [ "$1" != -- ]; do export "$1"; shift; done
shift
exec "$@" 3>&3`

// awaitAsker returns when this process's lifeline has no reader any more, and
// reports whether it had one. A pipe without readers is in error.
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

// bell draws the user's attention to a pane that they do not look at.
const bell = `printf '\a'` + "\n"

const separator = "--"

// lifeline reports when the process in a pane starts and ends. It is a named pipe
// that the process keeps open; the kernel closes it, also when the process is
// killed.
type lifeline struct {
	dir     string
	reader  *os.File
	writer  *os.File      // ours, to have no end of file before the process has started
	started chan struct{} // closed when the process runs
	gone    chan struct{} // closed when it has ended, and by close
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
func (l *lifeline) command(argv []string, ring bool) []string {
	script := wrapper
	if ring {
		script = bell + wrapper
	}
	return append([]string{"/bin/sh", "-c", script, "sh", l.path()}, argv...)
}

// listen reads the id of the process, then waits for the end of file.
func (l *lifeline) listen() {
	defer close(l.gone)
	var pid int
	if _, err := fmt.Fscanln(l.reader, &pid); err != nil {
		return
	}
	l.process = l.identify(pid)
	// From here on no file is left behind, even if we are killed.
	_ = os.RemoveAll(l.dir)
	_ = l.writer.Close()
	close(l.started)
	_, _ = io.Copy(io.Discard, l.reader)
}

// identify returns the process, unless the number is that of another one here: a
// tmux outside of our container runs it.
func (l *lifeline) identify(pid int) *os.Process {
	if pid <= 1 {
		return nil
	}
	if runtime.GOOS == "linux" {
		ours, err := l.reader.Stat()
		theirs, statErr := os.Stat(fmt.Sprintf("/proc/%d/fd/3", pid))
		if err != nil || statErr != nil || !os.SameFile(ours, theirs) {
			return nil
		}
	}
	process, _ := os.FindProcess(pid) // never fails on Unix
	return process
}

// kill ends the process, if it runs and was identified. Otherwise it ends with its
// question, or cannot start.
func (l *lifeline) kill() {
	select {
	case <-l.started:
	default:
		return
	}
	if l.process == nil {
		return
	}
	for _, sig := range [...]os.Signal{syscall.SIGHUP, os.Kill} {
		select {
		case <-l.gone:
			return
		default:
			_ = l.process.Signal(sig)
		}
		select {
		case <-l.gone:
		case <-time.After(exitDelay):
		}
	}
}

// close stops listening. A process that starts later has no pipe and exits.
func (l *lifeline) close() {
	_ = os.RemoveAll(l.dir)
	_ = l.reader.Close()
	_ = l.writer.Close()
	<-l.gone
}
