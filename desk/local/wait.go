package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-askuser/desk/store"
)

// Wait implements [store.Store]. An answer wakes the process that attends a row; another
// that waits for it listens to all changes meanwhile.
func (s *Store) Wait(ctx context.Context, id string) (store.Row, error) {
	waiter := s.enter(id)
	defer s.leave(id, waiter)
	listens := false
	for waited := false; ; waited = true {
		row, holder, err := s.read(ctx, id)
		if waited && errors.Is(err, store.ErrNotFound) {
			err = fmt.Errorf("%w (%w)", store.ErrLost, err)
		}
		if err != nil || row.Outcome != nil {
			return row, err
		}
		if !listens && (holder == "" || holder != s.ownName()) {
			release, err := s.listen(ctx, "")
			if err != nil {
				return row, err
			}
			defer release() // once: it listens until it has the answer
			listens = true
			continue // it may have been answered before that
		}
		select {
		case <-waiter:
		case <-time.After(s.again):
			s.enlistAgain(ctx)
		case <-ctx.Done():
			return store.Row{}, context.Cause(ctx)
		}
	}
}

func (s *Store) enter(id string) chan struct{} {
	waiter := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[id] = append(s.waiting[id], waiter)
	return waiter
}

func (s *Store) leave(id string, waiter chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[id] = slices.DeleteFunc(s.waiting[id], func(c chan struct{}) bool { return c == waiter })
	if len(s.waiting[id]) == 0 {
		delete(s.waiting, id)
	}
}

// Revision implements [store.Store].
func (s *Store) Revision(ctx context.Context) (last store.Revision, err error) {
	db, err := s.existing(ctx)
	if db != nil {
		err = s.explain(ctx, db.QueryRowContext(ctx, `select revision from counter`).Scan(&last.Own))
	}
	return last, err
}

// Changes implements [store.Store].
func (s *Store) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	release, err := s.listen(ctx, name)
	if err != nil {
		return nil, err
	}
	watcher := make(chan struct{}, 1)
	s.mu.Lock()
	s.watching[watcher] = struct{}{}
	s.mu.Unlock()
	go func() {
		s.lookAgain(ctx, watcher)
		if s.beginRelease() {
			release()
			s.releasing.Done()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watching, watcher)
		close(watcher)
	}()
	return watcher, nil
}

// lookAgain wakes a watcher now and then, until ctx ends.
func (s *Store) lookAgain(ctx context.Context, watcher chan struct{}) {
	tick := time.NewTicker(s.again)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.enlistAgain(ctx)
			wake(watcher)
		case <-ctx.Done():
			return
		}
	}
}

// beginRelease reports whether the database is open, which Close keeps open then.
func (s *Store) beginRelease() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.releasing.Add(1)
	}
	return !s.closed
}

// listen has writers wake this process, under a name that others see; an empty one is none.
func (s *Store) listen(ctx context.Context, name string) (release func(), err error) {
	_, err = s.database(ctx, true)
	if err != nil {
		return nil, err
	}
	s.count(name, 1)
	err = s.enlist(ctx)
	if err != nil {
		s.count(name, -1)
		return nil, err
	}
	return func() {
		s.count(name, -1)
		_ = s.enlist(context.WithoutCancel(ctx)) // else the next writer forgets this process when it is dead
	}, nil
}

// count changes how often this process listens under a name.
func (s *Store) count(name string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listening[name] += by
	if s.listening[name] == 0 {
		delete(s.listening, name)
	}
}

// enlist stores under which names this process listens.
func (s *Store) enlist(ctx context.Context) error {
	return s.write(ctx, "", func(t *tx) error {
		process, err := s.process()
		if err != nil {
			return err
		}
		_, err = t.ExecContext(ctx, `delete from listener where process=?`, process)
		s.mu.Lock()
		defer s.mu.Unlock()
		for name, times := range s.listening {
			if err == nil {
				_, err = t.ExecContext(ctx, `insert into listener values(?,?,?)`, process, name, times)
			}
		}
		return err
	})
}

// enlistAgain is enlist where the database is another one by now: replaced, or restored.
func (s *Store) enlistAgain(ctx context.Context) {
	s.mu.Lock()
	listens := len(s.listening) > 0
	s.mu.Unlock()
	if !listens {
		return
	}
	db, _ := s.existing(ctx) // where it fails, the next look does it
	if db == nil {
		return
	}
	known := 0
	err := db.QueryRowContext(ctx, `select count(*) from listener where process=?`, s.ownName()).Scan(&known)
	if err == nil && known == 0 {
		_ = s.enlist(ctx)
	}
}

// Present implements [store.Store].
func (s *Store) Present(ctx context.Context) (names []string, err error) {
	db, err := s.existing(ctx)
	if db == nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `select process, name from listener where name <> '' order by name`)
	process, name := "", ""
	err = each(rows, err, func() {
		if s.alive(process) {
			names = append(names, name)
		}
	}, &process, &name)
	return slices.Compact(names), s.explain(ctx, err)
}
