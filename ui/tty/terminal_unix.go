//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package tty

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/cancelreader"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"mcp-askuser/ui"
)

// terminal is an open terminal. Read can be ended by interrupt and Write by hurry.
type terminal struct {
	file  *os.File
	fd    int                       // only for ioctls; os.File.Fd would make the file blocking for good
	input cancelreader.CancelReader // nil where file itself can be interrupted

	reading sync.Mutex // held by Read

	mu         sync.Mutex
	found      *unix.Termios       // the settings to restore; nil while they are unchanged
	mode       func(*unix.Termios) // makes the settings for the form; nil while the terminal is lent
	fullScreen bool                // is on
	abandoned  bool                // for good
}

// open opens the controlling terminal. The error wraps ui.ErrUnavailable.
func open() (*terminal, error) {
	file, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	switch {
	case errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV), errors.Is(err, unix.EIO), errors.Is(err, fs.ErrNotExist):
		return nil, ui.Unavailablef("this process has no controlling terminal")
	case err != nil:
		return nil, ui.Unavailablef("the terminal cannot be opened: %v", err)
	}
	t := &terminal{file: file}
	conn, err := file.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { t.fd = int(fd) })
	}
	if err == nil && errors.Is(file.SetReadDeadline(time.Time{}), os.ErrNoDeadline) {
		// Where kqueue refuses /dev/tty the file has no deadlines; cancelreader waits with
		// select.
		t.input, err = cancelreader.NewReader(file)
	}
	if err != nil {
		_ = file.Close()
		return nil, ui.Unavailablef("the terminal cannot be used: %v", err)
	}
	return t, nil
}

// free returns why the terminal is in use, an error that wraps ui.ErrUnavailable. It is free
// if our process group is its foreground group and it is in canonical mode with echo, which a
// full-screen program has switched off.
func (t *terminal) free() error {
	foreground, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil {
		return ui.Unavailablef("the terminal is not this process's controlling terminal")
	}
	if foreground != unix.Getpgrp() {
		return ui.Unavailablef("this process is in the background of its terminal")
	}
	settings, err := unix.IoctlGetTermios(t.fd, getTermios)
	if err != nil {
		return ui.Unavailablef("the settings of the terminal cannot be read: %v", err)
	}
	if settings.Lflag&unix.ICANON == 0 {
		return ui.Unavailablef("a full-screen program holds the terminal")
	}
	if settings.Lflag&unix.ECHO == 0 {
		return ui.Unavailablef("another program holds the terminal (it has switched echo off)")
	}
	return nil
}

// foreground reports whether our process group still has the terminal.
func (t *terminal) foreground() bool {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// rawMode is for single keys, unechoed. Output processing stays on; Bubble Tea expects it
// with an input that is no file.
func rawMode(s *unix.Termios) {
	s.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	s.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	s.Oflag |= unix.OPOST | unix.ONLCR
	s.Cflag = s.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
}

// keyMode is for single keys, unechoed, in the line form: signals and output stay unchanged.
func keyMode(s *unix.Termios) { s.Lflag &^= unix.ECHO | unix.ICANON }

// lineMode has the terminal echo and edit whole lines itself, as it did when it was found.
func lineMode(s *unix.Termios) { s.Lflag |= unix.ECHO | unix.ICANON }

// deliverLines takes the terminal for whole lines, or else for keys that it does not show,
// unless another process group has it.
func (t *terminal) deliverLines(on bool) error {
	switch {
	case !t.foreground():
		return errTaken
	case on:
		return t.take(lineMode)
	}
	return t.take(keyMode)
}

// take gives the terminal these settings until restore. Unread keys are dropped at either
// change: they were meant for the screen before it. A nil mode only saves the settings to
// restore.
func (t *terminal) take(mode func(*unix.Termios)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.abandoned {
		return errTaken
	}
	settings, err := unix.IoctlGetTermios(t.fd, getTermios)
	if err != nil {
		return err
	}
	if t.found == nil {
		t.found = new(*settings)
	}
	if t.mode = mode; mode != nil {
		mode(settings)
		settings.Cc[unix.VMIN], settings.Cc[unix.VTIME] = 1, 0
		err = unix.IoctlSetTermios(t.fd, setTermios, settings)
	}
	t.flush()
	return err
}

// retake takes the terminal again after the process was stopped: the shell has made its
// own settings. It reports whether the form has the terminal.
func (t *terminal) retake() bool {
	t.mu.Lock()
	mode := t.mode
	t.mu.Unlock()
	return mode != nil && t.foreground() && t.take(mode) == nil
}

// restore undoes all changes, those of the screen first. A terminal that another process
// group has now stays as it is.
func (t *terminal) restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.foreground() {
		return
	}
	if t.fullScreen {
		_, _ = t.file.WriteString(leaveFullScreen())
		t.fullScreen = false
	}
	if t.found != nil {
		t.flush()
		_ = unix.IoctlSetTermios(t.fd, setTermios, t.found)
		t.found = nil
	}
}

// abandon is restore for good: what forms still draw is discarded.
func (t *terminal) abandon() {
	t.mu.Lock()
	t.abandoned = true
	t.mu.Unlock()
	t.restore()
}

// flush drops unread keys, unless another process group has the terminal.
func (t *terminal) flush() {
	if t.foreground() {
		flushInput(t.fd)
	}
}

// size returns the size in cells, 0 where the terminal does not know it.
func (t *terminal) size() (width, height int) {
	width, height, _ = term.GetSize(t.fd)
	return width, height
}

// interrupt ends a Read that waits, and every later one.
func (t *terminal) interrupt() {
	if t.input != nil {
		t.input.Cancel()
		return
	}
	_ = t.file.SetReadDeadline(time.Unix(1, 0))
}

// Pause implements term.Lender: it returns when no read of the terminal is under way
// or will begin.
func (t *terminal) Pause() {
	t.interrupt()
	t.reading.Lock()
	defer t.reading.Unlock()
}

// Lend implements term.Lender: it restores the terminal for run, and takes it back in
// whatever state run leaves it. Read, which was interrupted, waits again then.
func (t *terminal) Lend(run func() error) error {
	t.mu.Lock()
	mode := t.mode
	t.mu.Unlock()
	t.restore()
	_ = t.take(nil)
	err := run()
	t.restore()
	var fault error
	if t.input == nil {
		fault = t.file.SetReadDeadline(time.Time{})
	} else {
		_ = t.input.Close()
		t.input, fault = cancelreader.NewReader(t.file)
	}
	return errors.Join(err, fault, t.take(mode))
}

// hurry ends writing after d: a terminal that takes no output must not hold the process.
func (t *terminal) hurry(d time.Duration) { _ = t.file.SetWriteDeadline(time.Now().Add(d)) }

// Read implements io.Reader. After interrupt its error is
// os.ErrDeadlineExceeded.
func (t *terminal) Read(p []byte) (int, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if t.input == nil {
		return t.file.Read(p)
	}
	n, err := t.input.Read(p)
	if errors.Is(err, cancelreader.ErrCanceled) {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// Write implements io.Writer. Once another process group has the terminal, nothing is
// drawn on it.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.abandoned || !t.foreground() {
		return 0, errTaken
	}
	on, off := bytes.LastIndex(p, []byte(ansi.SetModeAltScreenSaveCursor)), bytes.LastIndex(p, []byte(ansi.ResetModeAltScreenSaveCursor))
	t.fullScreen = t.fullScreen || on >= 0
	n, err := t.file.Write(p)
	if err == nil && off > on { // else how much was written is unknown
		t.fullScreen = false
	}
	return n, err
}

// printLine prints a line, also on a terminal that the form has abandoned.
func (t *terminal) printLine(line string) {
	if t.foreground() {
		_, _ = fmt.Fprintln(t.file, line)
	}
}

// Fd returns the file descriptor, from which Bubble Tea reads the size.
func (t *terminal) Fd() uintptr { return uintptr(t.fd) }

// Close does nothing; Bubble Tea requires it.
func (t *terminal) Close() error { return nil }

func (t *terminal) close() {
	if t.input != nil {
		_ = t.input.Close()
	}
	_ = t.file.Close()
}

// stopTime is how long a shell may take to take the terminal from a process that is no job
// of its own: no event says so.
const stopTime = 100 * time.Millisecond

// handleStops calls resumed whenever the process continues after it was stopped and has
// taken the terminal again. With suspend, Ctrl+Z gives the terminal back and stops the
// process, if a shell started it as a job. The returned function ends that, and waits for
// a call of resumed that has begun.
func (t *terminal) handleStops(suspend bool, resumed func()) (undo func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGCONT)
	if suspend && !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(signals, syscall.SIGTSTP)
	}
	var handling sync.WaitGroup
	handling.Go(func() {
		for s := range signals {
			if s == syscall.SIGTSTP {
				t.restore()
				if isJob() {
					_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
					continue // with SIGCONT
				}
				select {
				case <-signals:
				case <-time.After(stopTime):
					t.retake()
					continue
				}
			}
			if t.retake() {
				resumed()
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(signals)
		handling.Wait()
	}
}

// isJob reports whether this process is a job of its parent, a shell that can continue it.
func isJob() bool {
	group, err := unix.Getpgid(os.Getppid())
	session, fault := unix.Getsid(os.Getppid())
	own, failed := unix.Getsid(0)
	return errors.Join(err, fault, failed) == nil && group != unix.Getpgrp() && session == own
}

// ignoreStops keeps the kernel from stopping this process when it uses its terminal in the
// background: a stopped server freezes its client. Changing the settings then succeeds and
// reading fails.
func ignoreStops() (undo func()) {
	stops := slices.DeleteFunc([]os.Signal{syscall.SIGTTIN, syscall.SIGTTOU}, signal.Ignored)
	if len(stops) == 0 { // which would mean all signals
		return func() {}
	}
	signal.Ignore(stops...)
	return func() { signal.Reset(stops...) }
}
