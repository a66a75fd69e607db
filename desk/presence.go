package desk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Announce says that an inbox or a page is open, until release is called or the
// process ends; while the process watches, also in a store that replaces this one. The
// name takes letters, digits and hyphens.
func (d *Desk) Announce(ctx context.Context, name string) (release func(), err error) {
	release, err = d.announce(ctx, name)
	if err != nil {
		return nil, err
	}
	d.presence.Lock()
	defer d.presence.Unlock()
	d.announced[&name] = release
	return func() {
		d.presence.Lock()
		defer d.presence.Unlock()
		if release := d.announced[&name]; release != nil {
			release()
		}
		delete(d.announced, &name)
	}, nil
}

// announceAgain repeats the announcements in a store that may have been replaced.
func (d *Desk) announceAgain(ctx context.Context) {
	d.presence.Lock()
	defer d.presence.Unlock()
	for name, release := range d.announced {
		again, err := d.announce(ctx, *name)
		if err != nil {
			d.log.WarnContext(ctx, "announcing again", "name", *name, "error", err)
			continue
		}
		release()
		d.announced[name] = again
	}
}

func (d *Desk) announce(ctx context.Context, name string) (release func(), err error) {
	for {
		release, err = d.store.Lock(ctx, KindPresent, name+"-"+rand.Text())
		if !errors.Is(err, ErrLocked) { // by a process that removes it as a dead one's
			return release, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// Present returns the names of what is open right now, each once.
func (d *Desk) Present(ctx context.Context) ([]string, error) {
	locks, err := d.store.Locks(ctx, KindPresent)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, lock := range locks {
		if end := strings.LastIndexByte(lock, '-'); end > 0 {
			out = append(out, lock[:end])
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// addPresence adds to a pending record whether it is attended, and where it is shown.
func (d *Desk) addPresence(ctx context.Context, rec *Record) {
	rec.Attended, rec.ShownOn = false, nil
	if rec.Outcome != nil {
		return
	}
	var err error
	if rec.Attended, err = d.store.Locked(ctx, KindAskers, rec.ID); err != nil {
		d.log.DebugContext(ctx, "looking whether a record is attended", "id", rec.ID, "error", err)
	}
	rec.ShownOn = d.shownOn(ctx, rec.ID)
}

// shownOn returns where an open record was tried and is shown.
func (d *Desk) shownOn(ctx context.Context, id string) (shown []Showing) {
	if data, err := d.store.Get(ctx, KindShowing, id); err == nil {
		_ = json.Unmarshal(data, &shown) // a hint: damaged, it is none
	}
	return shown
}
