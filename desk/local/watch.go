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
)

// watch has writers wake this process after each change. Its pipe has the name of an inbox or a
// page, which others see; an empty one is none.
type watch struct {
	store *Store
	name  string
	pipe  *pipe
}

func (s *Store) newWatch(ctx context.Context, name string) (*watch, error) {
	_, err := s.database(ctx, true)
	if err != nil {
		return nil, err
	}
	w := &watch{store: s, name: name}
	return w, w.open()
}

func (w *watch) open() (err error) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.store.drop(w.pipe)
	w.pipe, err = w.store.addPipe(watchDir, w.store.token+rand.Text()+"."+w.name)
	return err
}

// renew opens the pipe again in a store that has replaced the one that it was in.
func (w *watch) renew() {
	_, missing := os.Stat(w.store.path())
	if missing == nil && (w.pipe == nil || !w.pipe.exists()) {
		_ = w.open() // where it fails, the next look does it
	}
}

func (w *watch) close() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.store.drop(w.pipe)
}

// watchers yields the path and the name of each watch of any process, dead ones too.
func (s *Store) watchers() iter.Seq2[string, string] {
	return func(yield func(path, name string) bool) {
		dir := filepath.Join(s.dir, watchDir)
		entries, _ := os.ReadDir(dir) // where it does not exist, nothing was watched
		for _, entry := range entries {
			_, name, _ := strings.Cut(entry.Name(), ".")
			if !yield(filepath.Join(dir, entry.Name()), name) {
				return
			}
		}
	}
}

// Present implements [store.Store].
func (s *Store) Present(ctx context.Context) (names []string, err error) {
	db, err := s.existing(ctx)
	if db == nil {
		return nil, err
	}
	for path, name := range s.watchers() {
		if name != "" && pipeLives(path) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Changes implements [store.Store].
func (s *Store) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	w, err := s.newWatch(ctx, name)
	if err != nil {
		return nil, err
	}
	watcher := s.enter("")
	go func() {
		defer s.leave(watcher)
		defer w.close()
		tick := time.NewTicker(s.again)
		defer tick.Stop()
		for ctx.Err() == nil {
			select {
			case <-tick.C:
				w.renew()
				wake(watcher)
			case <-ctx.Done():
			}
		}
	}()
	return watcher, nil
}
