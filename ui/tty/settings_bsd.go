//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package tty

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// lineLimit is the length in bytes, newline included, above which the terminal
// may have cut a line: in canonical mode the kernel keeps MAX_CANON (1024).
const lineLimit = 1023

// flushInput drops what was typed and not yet read.
func flushInput(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) }
