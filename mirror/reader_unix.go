//go:build unix

package mirror

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// watchReader calls gone when the last reader of a pipe has closed it, until stop is
// called.
func watchReader(out io.Writer, gone func()) (stop func()) {
	f, ok := out.(*os.File)
	if !ok {
		return func() {}
	}
	wake, waker, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}, {Fd: int32(wake.Fd())}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			_, err := unix.Poll(fds, -1)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil, fds[1].Revents != 0:
				return
			case fds[0].Revents != 0:
				gone()
				return
			}
		}
	}()
	return func() {
		_ = waker.Close()
		<-ended
		_ = wake.Close()
	}
}
