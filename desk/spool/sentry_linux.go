package spool

import (
	"encoding/binary"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// sentry has those who wait look again when their store may have gone, or may have
// become unreadable. It takes one instance of file notification while anybody in the
// process waits, and none more: it wakes for nothing that happens within the rooms of
// the store. Where the user has no instance left, nobody is told.
type sentry struct {
	mu      sync.Mutex
	waiting map[*os.File]struct{} // the pipes of those who wait
	watch   *os.File              // nil while there is none
}

// join has the read deadline of a pipe pass when the store in dir may have gone. That
// happens once; who waits on joins again.
func (s *sentry) join(dir string, pipe *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = map[*os.File]struct{}{}
	}
	s.waiting[pipe] = struct{}{}
	if s.watch != nil {
		return
	}
	if s.watch = watchDir(dir); s.watch != nil {
		go s.follow(s.watch)
	}
}

func (s *sentry) leave(pipe *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, pipe)
	if len(s.waiting) == 0 && s.watch != nil {
		go s.watch.Close() // waits for the reader
		s.watch = nil
	}
}

// follow tells those who wait of the first event that matters.
func (s *sentry) follow(watch *os.File) {
	defer watch.Close()
	events := make([]byte, unix.SizeofInotifyEvent+unix.NAME_MAX+1)
	for {
		n, err := watch.Read(events)
		if err != nil {
			return
		}
		if matters(events[:n]) {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watch != watch {
		return
	}
	s.watch = nil
	for pipe := range s.waiting {
		_ = pipe.SetReadDeadline(time.Unix(1, 0))
	}
}

// watchDir watches a directory and the rooms in it, not what is in these; nil where that
// cannot be.
func watchDir(dir string) *os.File {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	const events = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_DELETE | unix.IN_ATTRIB
	if _, err := unix.InotifyAddWatch(fd, dir, events|unix.IN_ONLYDIR); err != nil {
		_ = unix.Close(fd)
		return nil
	}
	return os.NewFile(uintptr(fd), "inotify")
}

// matters reports whether one of these events is about the directory itself, or a
// directory in it: a file that stands beside the rooms may come and go.
func matters(events []byte) bool {
	for len(events) >= unix.SizeofInotifyEvent {
		mask := binary.NativeEndian.Uint32(events[4:])
		if mask&(unix.IN_ISDIR|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_UNMOUNT|unix.IN_IGNORED|unix.IN_Q_OVERFLOW) != 0 {
			return true
		}
		events = events[min(len(events), unix.SizeofInotifyEvent+int(binary.NativeEndian.Uint32(events[12:]))):]
	}
	return false
}
