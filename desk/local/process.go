package local

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The directories of what waits: the pipe of each process, by the name that rows have, and a file
// of each watch, see [Store.addWatch].
const (
	liveDir  = "live"
	watchDir = "watch"
)

// process returns the name of this process, which has a pipe from then on. A name is never used again.
func (s *Store) process() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errClosed
	}
	_, err := os.Stat(s.pipeOf(s.name))
	if s.pipe != nil && err == nil {
		return s.name, nil
	}
	s.drop() // it was removed with the store
	name := rand.Text()
	p, err := newPipe(s.pipeOf(name))
	if err != nil {
		return "", fmt.Errorf("wait in the store: %w", err)
	}
	go p.read(s.woken)
	s.pipe, s.name = p, name
	s.removeDead()
	return name, nil
}

// drop closes the pipe of this process. Callers must hold s.mu.
func (s *Store) drop() {
	if s.pipe != nil {
		s.pipe.close()
	}
	s.pipe, s.name = nil, ""
}

// removeDead removes what killed processes have left.
func (s *Store) removeDead() {
	for _, dir := range []string{liveDir, watchDir} {
		entries, _ := os.ReadDir(filepath.Join(s.dir, dir)) // the next process finds what this one does not
		for _, entry := range entries {
			process, _, _ := strings.Cut(entry.Name(), ".")
			if !pipeLives(s.pipeOf(process)) {
				_ = os.Remove(filepath.Join(s.dir, dir, entry.Name()))
			}
		}
	}
}

// ownName returns the name of this process; empty where it has never waited.
func (s *Store) ownName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

func (s *Store) pipeOf(process string) string { return filepath.Join(s.dir, liveDir, process) }

// alive reports whether a process lives. An empty name is none.
func (s *Store) alive(process string) bool {
	return process != "" && (process == s.ownName() || pipeLives(s.pipeOf(process)))
}

// post wakes the process that holds a row, empty for none, and those that watch, each once.
func (s *Store) post(holder, id string) {
	s.woken(id)
	others := map[string]bool{holder: true}
	for process := range s.watches() {
		others[process] = true
	}
	for process := range others {
		if process != "" && process != s.ownName() {
			wakePipe(s.pipeOf(process), id)
		}
	}
}
