package spool

import (
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
)

// What fcntl(2) reports of a directory with F_NOTIFY: a name in it was removed, or it or
// what it holds has other rights.
const (
	dnDelete    = 0x8
	dnAttrib    = 0x20
	dnMultishot = 0x80000000
)

// sentry wakes the waiters of a process when their store was removed, or may have become
// unreadable. It uses dnotify, a signal from the kernel, which costs one open file and none
// of the user's few inotify instances. It notices changes to the directories of the store,
// not in them, and not that the store was moved.
type sentry struct {
	mu      sync.Mutex
	waiting map[*os.File]struct{} // the pipes that are waited on
	post    *os.File              // the watched directory; kept while there is no waiter
	seen    state
	stop    func() // ends the signals; nil while there is no waiter
}

// state is what tells a store from another in its place, or from itself closed.
// A file system gives the inode of a removed directory to the next one, hence the
// time of its birth.
type state [2]struct {
	inode uint64
	mode  uint16
	birth unix.StatxTimestamp
}

// stateOf looks at a store and at the room of open questions.
func stateOf(dir string) (now state) {
	for i, path := range []string{dir, filepath.Join(dir, string(desk.KindPending))} {
		var st unix.Statx_t
		if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_MODE|unix.STATX_BTIME, &st) == nil {
			now[i].inode, now[i].mode, now[i].birth = st.Ino, st.Mode, st.Btime
		}
	}
	return now
}

// join has the read deadline of a pipe pass, once, when the store in dir may have been
// removed. It wakes the waiters of a store that had another state: its signal may
// arrive only when the new state is known.
func (s *sentry) join(dir string, pipe *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting = map[*os.File]struct{}{}
	}
	if s.stop == nil {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, unix.SIGIO)
		s.stop = func() { signal.Stop(signals); close(signals) }
		go func() {
			for range signals {
				s.check(dir)
			}
		}()
	}
	delete(s.waiting, pipe) // it looks next
	now := stateOf(dir)
	if now != s.seen {
		s.wake()
	}
	if now != s.seen || s.post == nil {
		s.seen = now
		s.watch(dir)
	}
	s.waiting[pipe] = struct{}{}
}

// watch has the kernel report changes to dir. Callers must hold s.mu.
func (s *sentry) watch(dir string) {
	if s.post != nil {
		_ = s.post.Close()
		s.post = nil
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	s.post = os.NewFile(uintptr(fd), dir)
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_NOTIFY, dnDelete|dnAttrib|dnMultishot)
}

func (s *sentry) leave(pipe *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, pipe)
	if len(s.waiting) == 0 && s.stop != nil {
		s.stop()
		s.stop = nil
	}
}

// check wakes the waiters, unless the store is as it was: a file beside its rooms may
// have changed.
func (s *sentry) check(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stateOf(dir) != s.seen {
		s.wake()
	}
}

// wake wakes the waiters. Callers must hold s.mu.
func (s *sentry) wake() {
	for pipe := range s.waiting {
		_ = pipe.SetReadDeadline(time.Unix(1, 0))
	}
}
