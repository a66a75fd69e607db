package tty

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// lineLimit is the length in bytes, newline included, above which the terminal
// may have cut a line: in canonical mode the kernel drops what does not fit
// into its buffer of 4096.
const lineLimit = 4095

// flushInput drops what was typed and not yet read.
func flushInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
