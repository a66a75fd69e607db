package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	s.beginLook()
	return waiter
}

func (s *Store) leave(id string, waiter chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[id] = slices.DeleteFunc(s.waiting[id], func(c chan struct{}) bool { return c == waiter })
	if len(s.waiting[id]) == 0 {
		delete(s.waiting, id)
	}
	s.restLook()
}

// Revision implements [store.Store].
func (s *Store) Revision(ctx context.Context) (last store.Revision, err error) {
	db, err := s.database(ctx, false)
	if errors.Is(err, errNone) {
		return last, nil
	}
	if err == nil {
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
	defer s.mu.Unlock()
	s.watching[watcher] = struct{}{}
	s.beginLook()
	context.AfterFunc(ctx, func() {
		if s.beginRelease() {
			release()
			s.releasing.Done()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watching, watcher)
		close(watcher)
		s.restLook()
	})
	return watcher, nil
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
	stop := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listening[name]--
		if s.listening[name] == 0 {
			delete(s.listening, name)
		}
	}
	s.mu.Lock()
	s.listening[name]++
	s.mu.Unlock()
	err = s.enlist(ctx)
	if err != nil {
		stop()
		return nil, err
	}
	return func() {
		stop()
		_ = s.enlist(context.WithoutCancel(ctx)) // else the next writer forgets this process when it is dead
	}, nil
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
	db, err := s.database(ctx, false)
	if err != nil || !listens {
		return
	}
	known := 0
	err = db.QueryRowContext(ctx, `select count(*) from listener where process=?`, s.ownName()).Scan(&known)
	if err == nil && known == 0 {
		_ = s.enlist(ctx) // else the next look does it
	}
}

// Present implements [store.Store].
func (s *Store) Present(ctx context.Context) (names []string, err error) {
	db, err := s.database(ctx, false)
	if errors.Is(err, errNone) {
		return nil, nil
	}
	if err != nil {
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

// beginLook looks again now and then while a call waits or watches. Callers must hold s.mu.
func (s *Store) beginLook() {
	if s.stopLook != nil {
		return
	}
	s.stopLook = make(chan struct{})
	go s.lookAgain(s.stopLook)
}

// restLook ends that when none does. Callers must hold s.mu.
func (s *Store) restLook() {
	if s.stopLook != nil && len(s.waiting)+len(s.watching) == 0 {
		close(s.stopLook)
		s.stopLook = nil
	}
}

func (s *Store) lookAgain(stop chan struct{}) {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			s.look()
		}
	}
}

// look wakes the calls whose rows have ended without a wake-up, or were removed, and all
// that watch.
func (s *Store) look() {
	s.enlistAgain(context.Background())
	s.mu.Lock()
	ended := maps.Clone(s.waiting)
	s.mu.Unlock()
	ids := slices.AppendSeq([]string{}, maps.Keys(ended)) // nil would be all
	for row, err := range s.Rows(context.Background(), store.Query{Open: true, IDs: ids}) {
		if err == nil {
			delete(ended, row.ID)
		}
	}
	ended[""] = nil
	for id := range ended {
		s.woken(id)
	}
}
