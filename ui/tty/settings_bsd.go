//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package tty

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

// noKey switches a special key off.
const noKey = 0xff

// flushInput drops keys that were not read yet.
func flushInput(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) }

// maxLine is the most bytes of a line that a terminal keeps; what follows is lost. MAX_CANON
// counts the line break.
const maxLine = 1023
