package tty

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// noKey switches a special key off.
const noKey = 0

// flushInput drops keys that were not read yet.
func flushInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// maxLine is the most bytes of a line that a terminal keeps; what follows is lost.
const maxLine = 4095
