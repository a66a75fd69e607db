package local

import (
	"context"
	"crypto/rand"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk/store"
)

// addWatch makes a file that has writers wake this process after each change. It has the name of an
// inbox or a page, which others see; an empty one is none.
func (s *Store) addWatch(name string) (file string, err error) {
	process, err := s.process()
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errClosed
	}
	file = filepath.Join(s.dir, watchDir, process+"."+rand.Text()+"."+name)
	err = os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, nil, 0o600)
	}
	return file, err
}

// watches yields the process and the name of each watch, of dead processes too.
func (s *Store) watches() iter.Seq2[string, string] {
	return func(yield func(process, name string) bool) {
		entries, _ := os.ReadDir(filepath.Join(s.dir, watchDir)) // where it does not exist, nothing was watched
		for _, entry := range entries {
			parts := strings.SplitN(entry.Name(), ".", 3)
			if len(parts) == 3 && !yield(parts[0], parts[2]) {
				return
			}
		}
	}
}

// Present implements [store.Store].
func (s *Store) Present(ctx context.Context, _ string) (names []string, err error) {
	db, err := s.existing(ctx)
	if db == nil {
		return nil, err
	}
	for process, name := range s.watches() {
		if name != "" && s.alive(process) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Changes implements [store.Store].
func (s *Store) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	_, err := s.database(ctx, true)
	if err != nil {
		return nil, err
	}
	file, err := s.addWatch(name)
	if err != nil {
		return nil, err
	}
	watcher := s.enter("")
	go func() {
		defer s.leave(watcher)
		tick := time.NewTicker(s.again)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				store.Wake(watcher)
			case <-ctx.Done():
				_ = os.Remove(file)
				return
			}
		}
	}()
	return watcher, nil
}
