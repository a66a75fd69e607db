package local

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The directories of the pipes: of processes that hold rows, by the name that the rows have,
// and of those that watch.
const (
	liveDir  = "live"
	watchDir = "watch"
)

// process returns the name of this process as a holder. A name is never used again.
func (s *Store) process() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipe != nil && s.pipe.exists() && !s.closed {
		return s.holder, nil
	}
	s.drop(s.pipe) // removed with the store
	name := rand.Text()
	p, err := s.addPipe(liveDir, name)
	if err != nil {
		return "", err
	}
	s.pipe, s.holder = p, name
	removeDead(filepath.Join(s.dir, liveDir))
	return name, nil
}

// addPipe opens a pipe of this process. Callers must hold s.mu.
func (s *Store) addPipe(dir, name string) (*pipe, error) {
	if s.closed {
		return nil, errClosed
	}
	p, err := newPipe(filepath.Join(s.dir, dir), name)
	if err != nil {
		return nil, fmt.Errorf("wait in the store: %w", err)
	}
	s.pipes[p] = true
	go p.read(s.woken)
	return p, nil
}

// drop closes a pipe, unless it is nil or closed. Callers must hold s.mu.
func (s *Store) drop(p *pipe) {
	if s.pipes[p] {
		delete(s.pipes, p)
		p.close()
	}
}

// removeDead removes the pipes that killed processes have left.
func removeDead(dir string) {
	entries, _ := os.ReadDir(dir) // the next process finds what this one does not
	for _, entry := range entries {
		pipeLives(filepath.Join(dir, entry.Name()))
	}
}

// ownName returns the name of this process; empty where it has never waited.
func (s *Store) ownName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holder
}

// alive reports whether a holder lives. An empty name is none.
func (s *Store) alive(holder string) bool {
	return holder != "" && (holder == s.ownName() || pipeLives(filepath.Join(s.dir, liveDir, holder)))
}

// post wakes the process that holds a row, empty for none, and those that watch.
func (s *Store) post(holder, id string) {
	s.woken(id)
	if holder != "" && holder != s.ownName() {
		wakePipe(filepath.Join(s.dir, liveDir, holder), id)
	}
	for path := range s.watchers() {
		if !strings.HasPrefix(filepath.Base(path), s.token) {
			wakePipe(path, id)
		}
	}
}
