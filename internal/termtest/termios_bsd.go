//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package termtest

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA
