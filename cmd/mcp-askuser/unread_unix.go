//go:build unix

package main

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// untilUnread returns a context that ends when the reader of a pipe has exited. A command that
// waits would notice it only when it writes the next time. It keeps a goroutine for the rest
// of the process.
func untilUnread(ctx context.Context, pipe *os.File) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		fds := []unix.PollFd{{Fd: int32(pipe.Fd())}} //nolint:gosec // a descriptor fits; poll(2) reports errors in any case
		_, err := unix.Poll(fds, -1)
		for errors.Is(err, unix.EINTR) {
			_, err = unix.Poll(fds, -1)
		}
		if fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			cancel(&exitError{code: exitUnread})
		}
	}()
	return ctx
}
