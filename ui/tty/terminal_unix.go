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
	"golang.org/x/sys/unix"
	xterm "golang.org/x/term"

	"mcp-askuser/ui"
	"mcp-askuser/ui/term"
)

// terminal is the open controlling terminal. It is the file of a term.Screen, which makes the
// settings for the full-screen form, and ends a read that waits. Write can be ended by hurry.
type terminal struct {
	*os.File
	fd int // only for ioctls; os.File.Fd would make the file blocking for good

	mu         sync.Mutex
	found      *unix.Termios // the settings to restore, known once the terminal was free
	fullScreen bool          // is on
	abandoned  bool          // for good
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
	t := &terminal{File: file}
	conn, err := file.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { t.fd = int(fd) })
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
	t.found = settings
	return nil
}

// foreground reports whether our process group still has the terminal.
func (t *terminal) foreground() bool {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// atShell reports whether the leader of the session has the terminal, which is a shell at its
// prompt, or a command of the shell's that takes lines.
func (t *terminal) atShell() bool {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	leader, none := unix.Getsid(0)
	settings, unknown := unix.IoctlGetTermios(t.fd, getTermios)
	return err == nil && none == nil && group == leader || unknown == nil && settings.Lflag&unix.ICANON != 0
}

// ours reports whether the form may use the terminal. Callers must hold t.mu.
func (t *terminal) ours() bool { return !t.abandoned && t.foreground() }

// deliverLines has the terminal deliver whole lines, which it shows and edits itself, as it did
// when it was found, or else single keys, which it does not show. Unread keys are dropped: they
// were meant for what was shown before.
func (t *terminal) deliverLines(on bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ours() {
		return errTaken
	}
	settings := *t.found
	if !on {
		settings.Lflag &^= unix.ECHO | unix.ICANON
		settings.Cc[unix.VMIN], settings.Cc[unix.VTIME] = 1, 0
		settings.Cc[unix.VSUSP] = noKey // a stop would leave the terminal without echo
	}
	err := unix.IoctlSetTermios(t.fd, setTermios, &settings)
	t.flush()
	return err
}

// restore undoes all changes, those of the screen first. A terminal that another process
// group has now stays as it is, but for the screen where that is the shell, which took the terminal
// because our host was killed, or its next command: the shell makes settings of its own, and leaves
// no screen.
func (t *terminal) restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	ours := t.foreground()
	if t.fullScreen && (ours || t.atShell()) {
		_, _ = t.File.WriteString(term.Leave())
		t.fullScreen = false
	}
	if !ours {
		return
	}
	t.flush()
	_ = unix.IoctlSetTermios(t.fd, setTermios, t.found)
}

// abandon is restore for good: what forms still draw is discarded, and they read nothing.
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
	width, height, _ = xterm.GetSize(t.fd)
	return width, height
}

// hurry ends writing after d: a terminal that takes no output must not hold the process.
func (t *terminal) hurry(d time.Duration) { _ = t.SetWriteDeadline(time.Now().Add(d)) }

// Read implements io.Reader.
func (t *terminal) Read(p []byte) (int, error) {
	t.mu.Lock()
	abandoned := t.abandoned
	t.mu.Unlock()
	if abandoned {
		return 0, errTaken
	}
	return t.File.Read(p)
}

// Write implements io.Writer. Once another process group has the terminal, nothing is
// drawn on it.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ours() {
		return 0, errTaken
	}
	on := bytes.LastIndex(p, []byte(ansi.SetModeAltScreenSaveCursor))
	off := bytes.LastIndex(p, []byte(ansi.ResetModeAltScreenSaveCursor))
	t.fullScreen = t.fullScreen || on >= 0
	n, err := t.File.Write(p)
	if err == nil && off > on { // else how much was written is unknown
		t.fullScreen = false
	}
	return n, err
}

// printLine prints a line, also on a terminal that the form has abandoned.
func (t *terminal) printLine(line string) {
	if t.foreground() {
		_, _ = fmt.Fprintln(t.File, line)
	}
}

// Fd returns the file descriptor, and none once another process group has the terminal:
// the screen asks for it whenever it changes the settings.
func (t *terminal) Fd() uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ours() {
		return ^uintptr(0)
	}
	return uintptr(t.fd)
}

// handleStops calls resumed whenever the process continues after it was stopped and has the
// terminal again, whose settings the shell has changed. A stop leaves the terminal as it is: a
// prompt of the line form has it as it was found, and Ctrl+Z is a key of the full-screen form.
// The returned function ends that, and waits for a call of resumed that has begun.
func (t *terminal) handleStops(resumed func()) (undo func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCONT)
	var handling sync.WaitGroup
	handling.Go(func() {
		for range signals {
			if t.foreground() {
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
