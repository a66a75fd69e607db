package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"mcp-askuser/desk"
)

// watched are the collections whose changes Watch reports.
var watched = [...]desk.Kind{desk.KindPending, desk.KindReplies, desk.KindDrafts, desk.KindShowing, desk.KindAskers}

// Watch implements desk.Store. Where the system has no file notification left
// (its instances are few, and other programs use them too), it has the caller look at
// everything once a second, and says so in the first Change.
func (s *Spool) Watch(ctx context.Context) (<-chan desk.Change, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var dirs []string
	for _, kind := range watched {
		dirs = append(dirs, filepath.Join(s.dir, string(kind)))
	}
	var w *fsnotify.Watcher
	err := fs.ErrNotExist
	for errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil { // it is being deleted
		if err := s.makeDirs(dirs...); err != nil {
			return nil, err
		}
		w, err = s.notify(append(dirs, s.dir)) // which alone notices that it was moved
	}
	changes := make(chan desk.Change)
	if err != nil {
		err = fmt.Errorf("%w: looking every %s instead; raise fs.inotify.max_user_instances or the limit of open files", err, s.pollInterval)
		go s.poll(ctx, err, changes)
		return changes, nil
	}
	go s.follow(ctx, w, changes)
	return changes, nil
}

func (s *Spool) notify(dirs []string) (*fsnotify.Watcher, error) {
	w, err := s.newWatcher()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// follow reports what w does, until ctx ends or a directory is removed.
func (s *Spool) follow(ctx context.Context, w *fsnotify.Watcher, changes chan<- desk.Change) {
	defer close(changes)
	defer w.Close()
	for {
		var c desk.Change
		select {
		case <-ctx.Done():
			return
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			c = desk.Change{Err: fmt.Errorf("%w: looking at everything", err)} // an overflow
		case ev, ok := <-w.Events:
			if !ok {
				return
			}
			gone := ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename)
			id, ok := idOf(filepath.Base(ev.Name))
			if !ok {
				if gone && (ev.Name == s.dir || slices.Contains(watched[:], desk.Kind(filepath.Base(ev.Name)))) { // no other name in the store is a room's
					return
				}
				continue
			}
			locked := ev.Has(fsnotify.Chmod) && strings.HasSuffix(ev.Name, lockSuffix)
			if !gone && !locked && !ev.Has(fsnotify.Create) {
				continue
			}
			c = desk.Change{Kind: desk.Kind(filepath.Base(filepath.Dir(ev.Name))), ID: id, Removed: gone}
		}
		if !desk.SendChange(ctx, changes, c) {
			return
		}
	}
}

// poll replaces follow where there is no notification; reason is its first change.
func (s *Spool) poll(ctx context.Context, reason error, changes chan<- desk.Change) {
	defer close(changes)
	tick := time.NewTicker(s.pollInterval)
	defer tick.Stop()
	for c := (desk.Change{Err: reason}); desk.SendChange(ctx, changes, c); c = (desk.Change{}) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
