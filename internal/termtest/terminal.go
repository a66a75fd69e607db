//go:build unix

// Package termtest runs a program on a terminal of its own, for tests: a real
// pseudo-terminal with an emulator behind it, so that a test sees what a user
// would see and types what a user would type. Every wait is for an event and
// has a deadline. It imports nothing of ours and is imported by tests only.
package termtest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Terminal is a pseudo-terminal, the program on it and the emulator behind it.
type Terminal struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	line   string // the program's end of it, a file
	before unix.Termios
	reply  io.Closer     // ends the pump of the emulator's replies
	exited chan struct{} // closed when the program has ended and its output is read

	mu       sync.Mutex // guards everything below; the emulator has no lock that holds
	emulator *vt.Emulator
	output   bytes.Buffer
	seen     int           // how much of output Expect has passed
	changed  chan struct{} // closed and replaced whenever the program writes or ends
}

// Start runs cmd as a session leader whose controlling terminal is a new
// pseudo-terminal of this size in cells; 0×0 is a terminal that does not know
// its size. The terminal is the standard input, and the standard output and
// error where cmd leaves them nil. What still runs at the end of the test is
// killed.
func Start(t testing.TB, cmd *exec.Cmd, cols, rows int) *Terminal {
	t.Helper()
	master, line, before, err := launch(cmd, cols, rows)
	if err != nil {
		t.Fatalf("start %s on a pseudo-terminal: %v", cmd.Path, err)
	}
	if cols == 0 || rows == 0 {
		cols, rows = 80, 24
	}
	emulator := vt.NewEmulator(cols, rows)
	x := &Terminal{
		t:        t,
		cmd:      cmd,
		master:   master,
		line:     line,
		before:   before,
		reply:    emulator.InputPipe().(io.Closer),
		exited:   make(chan struct{}),
		emulator: emulator,
		changed:  make(chan struct{}),
	}
	var pumps sync.WaitGroup
	read := make(chan struct{})
	pumps.Go(func() { defer close(read); x.readOutput() })
	pumps.Go(func() { _, _ = io.Copy(master, emulator) })
	pumps.Go(func() { x.awaitExit(read) })
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = master.Close()
		_ = x.reply.Close()
		pumps.Wait()
	})
	return x
}

// launch starts cmd on a new pseudo-terminal. It returns our end of it, as a
// file whose Close ends a Read, the name of the other, and the settings before cmd
// could change them.
func launch(cmd *exec.Cmd, cols, rows int) (ours *os.File, line string, before unix.Termios, err error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, "", before, err
	}
	defer func() { _, _ = slave.Close(), master.Close() }()
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		return nil, "", before, err
	}
	settings, err := unix.IoctlGetTermios(int(master.Fd()), getTermios)
	if err != nil {
		return nil, "", before, err
	}
	cmd.Stdin = slave
	if cmd.Stdout == nil {
		cmd.Stdout = slave
	}
	if cmd.Stderr == nil {
		cmd.Stderr = slave
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // the terminal is its descriptor 0
	// By nohup, and so by cmd: it would not be told of a hangup.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}

	// Fd has made master blocking for good, and closing it would not end a Read.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, "", before, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, "", before, err
	}
	ours = os.NewFile(uintptr(fd), master.Name())
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		return nil, "", before, err
	}
	return ours, slave.Name(), *settings, nil
}

func (x *Terminal) readOutput() {
	buf := make([]byte, 32<<10)
	for {
		n, err := x.master.Read(buf)
		x.mu.Lock()
		x.output.Write(buf[:n])
		_, _ = x.emulator.Write(buf[:n])
		x.wake()
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (x *Terminal) awaitExit(read <-chan struct{}) {
	_ = x.cmd.Wait()
	<-read
	x.mu.Lock()
	close(x.exited)
	x.wake()
	x.mu.Unlock()
}

// wake tells the waiting test to look again. The lock is held.
func (x *Terminal) wake() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// Until waits until ok is true, asking again whenever the program writes or
// ends. ok may call the other methods.
func (x *Terminal) Until(what string, ok func() bool) {
	x.t.Helper()
	if !x.Within(Deadline, ok) {
		x.t.Fatalf("waited %s in vain for %s; the screen:\n%s\nthe output: %q", Deadline, what, x.Screen(), tail(x.Output()))
	}
}

// Within is Until for something that may never come. It reports whether it came.
func (x *Terminal) Within(limit time.Duration, ok func() bool) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		x.mu.Lock()
		changed := x.changed
		x.mu.Unlock()
		if ok() {
			return true
		}
		select {
		case <-changed:
		case <-deadline.C:
			return false
		}
	}
}

// WaitFor waits until the screen shows text.
func (x *Terminal) WaitFor(text string) {
	x.t.Helper()
	x.Until("the screen to show "+text, func() bool { return strings.Contains(x.Screen(), text) })
}

// Quiet waits until keys count in a list that appeared by itself. A key that
// means nothing to it makes it say that it waits for a pause, unless that was
// over before the key came.
func (x *Terminal) Quiet() {
	x.t.Helper()
	waits := func() bool { return strings.Contains(x.Screen(), "waiting for a pause") }
	x.Type("z")
	x.Within(3*time.Second, waits)
	x.Until("the pause to be over", func() bool { return !waits() })
}

// Expect waits until the program has written text since the end of what the
// last Expect found.
func (x *Terminal) Expect(text string) {
	x.t.Helper()
	x.Until("the output "+text, func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		at := bytes.Index(x.output.Bytes()[x.seen:], []byte(text))
		if at < 0 {
			return false
		}
		x.seen += at + len(text)
		return true
	})
}

// toEnter is how long after a text a hand is at the Enter key.
const toEnter = 50 * time.Millisecond

// Type sends keys as a hand does: "\r" is Enter, "\x03" Ctrl+C. An Enter after text is
// sent a moment after the program has read that text.
func (x *Terminal) Type(keys string) {
	x.t.Helper()
	for enter := true; enter; {
		var text string
		if text, keys, enter = strings.Cut(keys, "\r"); text != "" {
			x.Paste(text)
		}
		if enter && text != "" {
			x.awaitRead()
			time.Sleep(toEnter)
		}
		if enter {
			x.Paste("\r")
		}
	}
}

// Paste sends keys in one piece.
func (x *Terminal) Paste(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.master, keys); err != nil {
		x.t.Fatalf("type %q: %v", keys, err)
	}
}

// awaitRead waits until the program has read what was typed, but for what its
// terminal keeps for a line, and no longer than a hand waits for a program.
func (x *Terminal) awaitRead() {
	fd, err := unix.Open(x.line, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil { // hung up
		return
	}
	defer func() { _ = unix.Close(fd) }()
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0); err == nil && n == 0 {
			return
		}
	}
}

// Screen returns what the screen shows, blanks at the ends of lines and empty
// lines at the bottom left out.
func (x *Terminal) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return trimmed(x.emulator)
}

// FullScreen reports whether the alternate screen is on.
func (x *Terminal) FullScreen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emulator.IsAltScreen()
}

// Output returns every byte that was written to the terminal so far, echoed
// keys included.
func (x *Terminal) Output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.output.String()
}

// Before returns the settings that the terminal line had before the program
// was started.
func (x *Terminal) Before() unix.Termios { return x.before }

// Termios returns the settings of the terminal line.
func (x *Terminal) Termios() unix.Termios {
	x.t.Helper()
	var settings unix.Termios
	x.control(func(fd int) error {
		got, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			settings = *got
		}
		return err
	})
	return settings
}

// Resize changes the size of the terminal, in cells.
func (x *Terminal) Resize(cols, rows int) {
	x.t.Helper()
	x.mu.Lock()
	x.emulator.Resize(cols, rows)
	x.mu.Unlock()
	x.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
}

// Pid returns the process id of the program, which is also its process group
// and its session.
func (x *Terminal) Pid() int { return x.cmd.Process.Pid }

// Signal sends the program a signal.
func (x *Terminal) Signal(s syscall.Signal) {
	x.t.Helper()
	if err := syscall.Kill(x.Pid(), s); err != nil {
		x.t.Fatalf("signal %s: %v", s, err)
	}
}

// Foreground returns the foreground process group of the terminal.
func (x *Terminal) Foreground() int {
	x.t.Helper()
	group := 0
	x.control(func(fd int) (err error) {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group
}

// Hangup closes the terminal under the program.
func (x *Terminal) Hangup() {
	x.t.Helper()
	if err := x.master.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		x.t.Fatalf("hang up: %v", err)
	}
}

// Wait waits until the program has ended and nothing that it started holds the
// terminal any more. It returns the exit status, -1 if a signal ended it.
func (x *Terminal) Wait() int {
	x.t.Helper()
	x.Until("the program to end", func() bool {
		select {
		case <-x.exited:
			return true
		default:
			return false
		}
	})
	return x.cmd.ProcessState.ExitCode()
}

func (x *Terminal) control(do func(fd int) error) {
	x.t.Helper()
	conn, err := x.master.SyscallConn()
	if err != nil {
		x.t.Fatalf("terminal: %v", err)
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil || inner != nil {
		x.t.Fatalf("terminal: %v", errors.Join(err, inner))
	}
}

func tail(s string) string {
	const most = 2000
	return s[max(0, len(s)-most):]
}
