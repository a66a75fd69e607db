package local

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// process returns the name of this process, which other processes wake through its pipe. A
// name is never used again.
func (s *Store) process() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errClosed
	}
	if s.pipe != nil && s.pipe.exists() {
		return s.pipe.name, nil
	}
	if s.pipe != nil { // removed with the store
		s.pipe.close()
		s.pipe = nil
	}
	p, err := newPipe(s.dir, rand.Text())
	if err != nil {
		return "", fmt.Errorf("wait in the store: %w", err)
	}
	s.pipe = p
	go p.read(s.woken)
	removeDead(s.dir)
	return p.name, nil
}

// leftFor is for how long the pipe of a process that was killed may be left.
const leftFor = time.Hour

// removeDead removes the pipes that killed processes have left.
func removeDead(dir string) {
	entries, _ := os.ReadDir(filepath.Join(dir, pipeDir)) // the next process finds what this one does not
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && time.Since(info.ModTime()) > leftFor {
			pipeLives(dir, entry.Name())
		}
	}
}

// ownName returns the name of this process; empty where it has never waited.
func (s *Store) ownName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipe == nil {
		return ""
	}
	return s.pipe.name
}

// alive reports whether a holder lives. An empty name is none.
func (s *Store) alive(holder string) bool {
	return holder != "" && (holder == s.ownName() || pipeLives(s.dir, holder))
}

// post wakes a process because of a row, and forgets one that is dead.
func (s *Store) post(process, id string) {
	if process == s.ownName() {
		s.woken(id)
		return
	}
	if wakePipe(s.dir, process, id) {
		return
	}
	ctx := context.Background() // whether or not the writer's ends
	db, err := s.database(ctx, false)
	if err == nil { // else the next writer does it
		_, _ = db.ExecContext(ctx, `delete from listener where process=?`, process)
	}
}

// woken wakes the calls of this process that wait for a row, and those that watch.
func (s *Store) woken(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, waiter := range s.waiting[id] {
		wake(waiter)
	}
	for watcher := range s.watching {
		wake(watcher)
	}
}

func wake(waiter chan struct{}) {
	select {
	case waiter <- struct{}{}:
	default: // it has a token already
	}
}
