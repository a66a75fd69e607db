package tokens

import (
	"context"
	"os"

	"github.com/fsnotify/fsnotify"
)

// Watch returns a channel that gets a value after tokens were added or removed,
// until ctx ends; then it is closed.
func (s *Store) Watch(ctx context.Context) (<-chan struct{}, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := w.Add(s.dir); err != nil {
		_ = w.Close()
		return nil, err
	}
	changed := make(chan struct{}, 1)
	go func() {
		defer close(changed)
		defer w.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case _, ok := <-w.Events:
				if !ok {
					return
				}
			case _, ok := <-w.Errors: // events were lost
				if !ok {
					return
				}
			}
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	}()
	return changed, nil
}
