//go:build unix

package mirror

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// watchReader calls gone when nobody can read what is written to a pipe any
// more, until stop is called.
func watchReader(f *os.File, gone func()) (stop func()) {
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

// readerGone is watchReader at this moment.
func readerGone(f *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}
