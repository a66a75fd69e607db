// Package home is the store of a desk with two homes: one that many machines
// share, and this machine's own directory for when the other does not answer.
// A question has one home, chosen when it is asked, and keeps it; the two are
// never merged. Whoever looks sees both as one.
//
// What was read from the shared desk is remembered, so that a question stays in
// view while its home is out of reach. An answer given then is kept in an
// outbox beside the directory's documents; it is sent when the desk is back, or
// refused there, and then who was first is kept for its human to be told.
//
// The package imports desk; only Open names the stores that are joined, which are
// any that keep desk's contract. It knows of records only their ids.
package home

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/spool"
)

// Local is the name of this machine's home.
const Local = "local"

// How long the shared desk may take.
const (
	placeTimeout    = 2 * time.Second  // before a question is asked here, and to be connected to
	electionTimeout = 12 * time.Second // the same, where it has answered this process before
	readTimeout     = 5 * time.Second  // before what is remembered is shown
	sendTimeout     = 10 * time.Second // before an answer goes to the outbox
	retryInterval   = time.Second      // between two tries to reach it again
)

// Far is the store that is shared.
type Far interface {
	desk.Store
	desk.Reader
	desk.Placer
	// MayAnswer returns an error that wraps desk.ErrDenied where the credential
	// is an agent's.
	MayAnswer(ctx context.Context) error
	// Ping returns nil if the desk answers.
	Ping(ctx context.Context) error
}

// Options say where the homes are.
type Options struct {
	Dir   string // this machine's own, absolute
	URL   string // of the shared desk; empty where there is none
	Creds string // see nats.Options
	CA    string
	Log   *slog.Logger
}

// Open returns the store of a desk: the directory alone where no other is
// named. It connects to nothing.
func Open(o Options) (desk.Store, error) {
	near, err := spool.Open(o.Dir)
	if err != nil || o.URL == "" {
		return near, err
	}
	far, err := nats.Open(nats.Options{URL: o.URL, Creds: o.Creds, CA: o.CA, Log: o.Log})
	if err != nil {
		return nil, err
	}
	return Join(near, far, o.Log), nil
}

// Store is a desk.Store of two homes.
type Store struct {
	near   desk.Store
	far    Far
	log    *slog.Logger
	outbox *outbox
	ctx    context.Context // of what runs in the background
	close  context.CancelFunc

	pinned sync.Map  // ids of records that are being asked here
	tidied sync.Once // see forgetAsked

	mu       sync.Mutex
	outage   *outage           // the last one of the far home; nil before the first
	reached  bool              // the far home has answered
	answered time.Time         // when it did last
	known    map[string][]byte // what was asked, of far records that are open, as last read

	news chan desk.Change // what happened in the outbox, for the watch
}

var (
	_ desk.Store    = (*Store)(nil)
	_ desk.Reader   = (*Store)(nil)
	_ desk.Entitled = (*Store)(nil)
	_ desk.Keeper   = (*Store)(nil)
	_ desk.Filer    = (*Store)(nil)
	_ desk.Unmarker = (*Store)(nil)
)

// Join returns the store of two homes.
func Join(near desk.Store, far Far, log *slog.Logger) *Store {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	s := &Store{near: near, far: far, log: log, known: map[string][]byte{}, news: make(chan desk.Change, 16)}
	s.ctx, s.close = context.WithCancel(context.Background())
	s.outbox = &outbox{
		near: near, far: desk.New(far, desk.Options{Log: log}), log: log, entries: map[string]entry{},
		ping: func(ctx context.Context) error {
			within, cancel := context.WithTimeoutCause(ctx, readTimeout, errGone)
			defer cancel()
			return far.Ping(within)
		},
		lost: func() { s.markUnreachable(time.Now()) },
		done: s.forget,
		tell: func(id string) { s.tell(desk.Change{Kind: desk.KindDrafts, ID: id}) },
	}
	if queued, err := s.outbox.loadAll(s.ctx); err != nil {
		log.Warn("the outbox cannot be read", "error", err)
	} else if len(queued) > 0 {
		s.outbox.read = time.Time{} // sent once the far home answers
	}
	return s
}

// Close ends what runs in the background. What is queued waits for the next process.
func (s *Store) Close() { s.close() }

// Place implements desk.Placer: here, if the shared desk does not answer in time, or
// if the earlier one is here.
func (s *Store) Place(ctx context.Context, id, earlier string) (placed string, err error) {
	if earlier != "" {
		switch near, err := s.isNear(ctx, earlier); {
		case err != nil:
			return id, err
		case near:
			s.pinned.Store(id, true)
			return id, nil
		}
	}
	s.mu.Lock()
	lately := s.outage.over() && time.Since(s.answered) < retryInterval/4 // to the search for the same question
	s.mu.Unlock()
	if !lately {
		err = s.awaitFar(ctx, s.far.Ping)
	}
	if err == nil {
		err = s.reach(ctx, placeTimeout, func(ctx context.Context) (err error) {
			placed, err = s.far.Place(ctx, id, earlier)
			return err
		})
	}
	if err == nil || ctx.Err() != nil {
		return placed, err
	}
	s.log.Warn("a question is asked on this machine alone", "id", id, "error", err)
	s.pinned.Store(id, true)
	return id, nil
}

// awaitFar is reach for a caller that asks. A far home that has never answered has
// no longer than a question may wait; one that has may be choosing a leader, and has
// the time for that. It has it once: while it stays out of reach no other call waits.
func (s *Store) awaitFar(ctx context.Context, call func(context.Context) error) error {
	began := time.Now()
	s.mu.Lock()
	reached, since := s.reached, began
	if !s.outage.over() {
		since = s.outage.since
	}
	s.mu.Unlock()
	if !reached {
		return s.reach(ctx, placeTimeout, call)
	}
	for until := since.Add(electionTimeout); ; {
		err := s.reach(ctx, time.Until(until), call)
		if !errors.Is(err, desk.ErrUnreachable) || ctx.Err() != nil || !time.Now().Before(until) {
			return err
		}
		within, cancel := context.WithDeadline(ctx, until)
		s.awaitBack(within)
		cancel()
	}
}

// Home implements desk.Keeper.
func (s *Store) Home(id string) string {
	if near, err := s.isNear(context.Background(), id); near && err == nil {
		return Local
	}
	return ""
}

// Path implements desk.Filer.
func (s *Store) Path(kind desk.Kind, id string) string {
	if s.Home(id) != Local {
		return ""
	}
	if of, ok := s.near.(desk.Filer); ok {
		return of.Path(kind, id)
	}
	return ""
}

// isNear reports whether a record's home is here: something of it is. That nothing
// is must have been read: what cannot be read now may be there.
func (s *Store) isNear(ctx context.Context, id string) (bool, error) {
	_, pinned := s.pinned.Load(id)
	if pinned || !desk.ValidID(id) {
		return pinned, nil
	}
	for _, kind := range []desk.Kind{desk.KindPending, desk.KindArchive, desk.KindReplies} {
		_, err := s.near.Get(context.WithoutCancel(ctx), kind, id)
		switch {
		case err == nil, errors.Is(err, desk.ErrDamaged):
			return true, nil
		case !errors.Is(err, desk.ErrNotFound):
			return false, fmt.Errorf("find the home of %s: %w", id, err)
		}
	}
	return false, nil
}

// errGone is the reason of calls that take longer than the far home may.
var errGone = fmt.Errorf("%w in time", desk.ErrUnreachable)

// reach calls the far home, for at most so long. While it is known to be out of
// reach it is not called: retry does that.
func (s *Store) reach(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.down() {
		return desk.ErrUnreachable
	}
	began := time.Now()
	within, cancel := context.WithTimeoutCause(ctx, limit, errGone)
	defer cancel()
	err := s.connect(within)
	if err == nil {
		err = call(within)
	}
	switch {
	case errors.Is(err, desk.ErrDenied):
	case errors.Is(err, desk.ErrUnreachable):
		s.markUnreachable(began)
	default:
		s.markReached()
	}
	return err
}

// read is reach for a read.
func (s *Store) read(ctx context.Context, call func(context.Context) error) error {
	return s.reach(ctx, readTimeout, call)
}

// markReached notes that the far home has answered. Other processes may have left
// answers to be sent.
func (s *Store) markReached() {
	s.mu.Lock()
	s.reached, s.answered = true, time.Now()
	s.mu.Unlock()
	if s.outbox.stale() {
		go s.outbox.drain(s.ctx)
	}
	s.tidied.Do(func() { go s.forgetAsked() })
}

// connect returns an error where there has been no way to the far home for as
// long as a choice may take. One to which there is a way may take longer, as when
// its nodes choose a leader.
func (s *Store) connect(ctx context.Context) error {
	for began := time.Now(); ; {
		err := s.far.MayAnswer(ctx)
		if !errors.Is(err, desk.ErrUnreachable) {
			return nil // whether it may, who answers is told
		}
		if time.Since(began) > placeTimeout {
			return err
		}
		select {
		case <-time.After(retryInterval / 10):
		case <-ctx.Done():
			return err
		}
	}
}

// markUnreachable has the far home tried until it answers. A call that began then
// has found it out of reach.
func (s *Store) markUnreachable(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.outage.over() {
		return
	}
	s.outage = &outage{began, make(chan struct{})}
	s.log.Warn("the desk cannot be reached: what is on it is left out, or is as it was last seen")
	go s.retry()
}

// retry tries the far home until it answers.
func (s *Store) retry() {
	for {
		within, cancel := context.WithTimeout(s.ctx, placeTimeout)
		err := s.far.Ping(within)
		cancel()
		if err == nil {
			break
		}
		select {
		case <-time.After(retryInterval/2 + rand.N(retryInterval)): //nolint:gosec // jitter: not all machines at once
		case <-s.ctx.Done():
			return
		}
	}
	s.mu.Lock()
	close(s.outage.ended)
	s.reached, s.answered = true, time.Now()
	s.mu.Unlock()
	s.log.Info("the desk answers again")
	s.tell(desk.Change{})
	s.outbox.drain(s.ctx)
}

// outage is a time in which the far home does not answer.
type outage struct {
	since time.Time     // when the call began that found it out of reach
	ended chan struct{} // closed when it answers again
}

// over reports whether there is no outage, or no more.
func (o *outage) over() bool {
	if o == nil {
		return true
	}
	select {
	case <-o.ended:
		return true
	default:
		return false
	}
}

func (s *Store) lastOutage() *outage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outage
}

// down reports whether the far home is known to be out of reach.
func (s *Store) down() bool { return !s.lastOutage().over() }

// at calls the home of a record; the far one as reach does.
func (s *Store) at(ctx context.Context, id string, limit time.Duration, call func(context.Context, desk.Store) error) error {
	near, err := s.isNear(ctx, id)
	switch {
	case err != nil:
		return err
	case near:
		return call(ctx, s.near)
	}
	return s.reach(ctx, limit, func(ctx context.Context) error { return call(ctx, s.far) })
}

// ask is at for a record that is being asked: its far home is given as long as
// awaitFar gives it.
func (s *Store) ask(ctx context.Context, id string, call func(context.Context, desk.Store) error) error {
	if s.down() {
		if near, err := s.isNear(ctx, id); err == nil && !near {
			if err := s.awaitFar(ctx, s.far.Ping); err != nil {
				return err
			}
		}
	}
	return s.at(ctx, id, electionTimeout, call)
}

// Create implements desk.Store.
func (s *Store) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	near, err := s.isNear(ctx, id)
	switch {
	case err != nil:
		return err
	case !near:
		// As long as it takes to be certain: nobody asks elsewhere what was
		// perhaps asked here.
		err = s.far.Create(ctx, kind, id, data)
		s.remember([]desk.Key{{Kind: kind, ID: id}}, []desk.Document{{Data: data, Err: err}})
		return err
	}
	if err = s.near.Create(ctx, kind, id, data); err == nil {
		s.pinned.Delete(id)
	}
	return err
}

// Decide implements desk.Store. What a human said where the far home is out of
// reach is kept: the error is ErrUnsent then.
func (s *Store) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	near, err := s.isNear(ctx, id)
	switch {
	case err != nil:
		return err
	case near:
		return s.near.Decide(ctx, id, role, data)
	}
	err = s.reach(ctx, sendTimeout, func(ctx context.Context) error { return s.far.Decide(ctx, id, role, data) })
	switch {
	case err == nil:
		s.forget(id)
		if err := s.outbox.remove(ctx, id); err != nil {
			s.log.Warn("an earlier answer stays in the outbox", "id", id, "error", err)
		}
	case errors.Is(err, desk.ErrExists):
		s.forget(id)
	case role == desk.RoleHuman && uncertain(err):
		return s.Queue(ctx, id, data)
	}
	return err
}

// Queue implements desk.Keeper.
func (s *Store) Queue(ctx context.Context, id string, outcome []byte) error {
	if err := s.outbox.enqueue(ctx, id, outcome); err != nil {
		return fmt.Errorf("%w, and the answer is not kept here: %w", desk.ErrUnreachable, err)
	}
	s.markUnreachable(time.Now())
	return desk.ErrUnsent
}

// tell has those who watch look at a record, or at all that they could not read
// while the desk was out of reach.
func (s *Store) tell(c desk.Change) {
	select {
	case s.news <- c:
	default: // without a watch
	}
}

// Put implements desk.Store.
func (s *Store) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	return s.at(ctx, id, placeTimeout, func(ctx context.Context, home desk.Store) error { return home.Put(ctx, kind, id, data) })
}

// Get implements desk.Store.
func (s *Store) Get(ctx context.Context, kind desk.Kind, id string) ([]byte, error) {
	doc := s.Read(ctx, desk.Key{Kind: kind, ID: id})[0]
	return doc.Data, doc.Err
}

// Read implements desk.Reader. Of far records that cannot be read now, those
// that were open when last read are taken to be.
func (s *Store) Read(ctx context.Context, keys ...desk.Key) []desk.Document {
	out := make([]desk.Document, len(keys))
	var far []desk.Key
	var at []int
	near, errs := map[string]bool{}, map[string]error{}
	for i, key := range keys {
		if _, looked := near[key.ID]; !looked {
			near[key.ID], errs[key.ID] = s.isNear(ctx, key.ID)
		}
		if out[i].Err = errs[key.ID]; out[i].Err != nil {
			continue
		}
		if near[key.ID] {
			out[i].Data, out[i].Err = s.near.Get(ctx, key.Kind, key.ID)
			continue
		}
		far, at = append(far, key), append(at, i)
	}
	if len(far) == 0 {
		return out
	}
	var docs []desk.Document
	err := s.read(ctx, func(ctx context.Context) error {
		docs = s.far.Read(ctx, far...)
		for _, doc := range docs {
			if errors.Is(doc.Err, desk.ErrUnreachable) || ctx.Err() != nil && doc.Err != nil {
				return doc.Err
			}
		}
		return nil
	})
	for n, i := range at {
		if err != nil {
			out[i] = s.remembered(far[n], err)
			continue
		}
		out[i] = docs[n]
	}
	if err == nil {
		s.remember(far, docs)
	}
	return out
}

// remember keeps what was asked, until it is heard that it has ended. A reply may
// stand before what was asked.
func (s *Store) remember(keys []desk.Key, docs []desk.Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, key := range keys {
		if key.Kind == desk.KindPending && docs[i].Err == nil {
			s.known[key.ID] = docs[i].Data
		}
	}
	for i, key := range keys {
		switch err := docs[i].Err; key.Kind {
		case desk.KindPending:
			if errors.Is(err, desk.ErrNotFound) {
				delete(s.known, key.ID)
			}
		case desk.KindReplies, desk.KindArchive:
			if err == nil {
				delete(s.known, key.ID)
			}
		default: // of no record, or beside one
		}
	}
}

// remembered is a document that cannot be read now.
func (s *Store) remembered(key desk.Key, err error) desk.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, known := s.known[key.ID]
	switch {
	case !known:
		return desk.Document{Err: err}
	case key.Kind == desk.KindPending:
		return desk.Document{Data: asked}
	}
	return desk.Document{Err: desk.ErrNotFound}
}

func (s *Store) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, id)
}

// Delete implements desk.Store.
func (s *Store) Delete(ctx context.Context, kind desk.Kind, id string) error {
	near, err := s.isNear(ctx, id)
	switch {
	case err != nil:
		return err
	case near:
		return s.near.Delete(ctx, kind, id)
	}
	return s.far.Delete(ctx, kind, id)
}

// List implements desk.Store: what both homes have, as one.
func (s *Store) List(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		next, stop := iter.Pull2(s.near.List(ctx, kind, in))
		defer stop()
		here, errHere, more := next()
		// all yields the near ones down to an id.
		all := func(id string) bool {
			for more && (errHere != nil || here >= id) {
				if !yield(here, errHere) || errHere != nil {
					return false
				}
				here, errHere, more = next()
			}
			return true
		}
		for id, err := range s.listFar(ctx, kind, in) {
			if err != nil {
				if leftOut(ctx, err) {
					break
				}
				yield("", err)
				return
			}
			if !all(id) || !yield(id, nil) {
				return
			}
		}
		all("")
	}
}

// listFar is List of the far home. What is open there is remembered.
func (s *Store) listFar(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if kind == desk.KindArchive { // month by month, and no further than it is asked for
			if s.down() {
				yield("", desk.ErrUnreachable)
				return
			}
			s.far.List(ctx, kind, in)(yield)
			return
		}
		var ids []string
		err := s.read(ctx, func(ctx context.Context) error {
			for id, err := range s.far.List(ctx, kind, in) {
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil && kind == desk.KindPending && leftOut(ctx, err) {
			ids, err = s.knownIDs(in), nil
		}
		for _, id := range ids {
			if !yield(id, nil) {
				return
			}
		}
		if err != nil {
			yield("", err)
		}
	}
}

func (s *Store) knownIDs(in desk.Range) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for id := range s.known {
		if in.Has(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids
}

// leftOut reports whether the far home is left out of what is told, for it
// cannot be reached.
func leftOut(ctx context.Context, err error) bool {
	return ctx.Err() == nil && errors.Is(err, desk.ErrUnreachable)
}

// union is what both homes say; the far one is left out where it cannot be
// reached.
func (s *Store) union(ctx context.Context, reach func(context.Context, func(context.Context) error) error, of func(context.Context, desk.Store) ([]string, error)) ([]string, error) {
	here, err := of(ctx, s.near)
	if err != nil {
		return nil, err
	}
	var there []string
	err = reach(ctx, func(ctx context.Context) (err error) {
		there, err = of(ctx, s.far)
		return err
	})
	if err != nil && !leftOut(ctx, err) {
		return nil, err
	}
	all := slices.Concat(here, there)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Mark implements desk.Store.
func (s *Store) Mark(ctx context.Context, mark desk.Mark, name, id string) error {
	return s.ask(ctx, id, func(ctx context.Context, home desk.Store) error { return home.Mark(ctx, mark, name, id) })
}

// PrepareUnmark implements desk.Unmarker. A message to the far home has nothing to
// prepare.
func (s *Store) PrepareUnmark(ctx context.Context, mark desk.Mark, name, id string) (unmark func() error, err error) {
	near, err := s.isNear(ctx, id)
	if of, ok := s.near.(desk.Unmarker); err == nil && near && ok {
		return of.PrepareUnmark(ctx, mark, name, id)
	}
	return func() error { return s.Unmark(ctx, mark, name, id) }, nil
}

// Unmark implements desk.Store.
func (s *Store) Unmark(ctx context.Context, mark desk.Mark, name, id string) error {
	return s.at(ctx, id, sendTimeout, func(ctx context.Context, home desk.Store) error { return home.Unmark(ctx, mark, name, id) })
}

// Marks implements desk.Store. A caller that looks for the same question is about to
// ask: it waits while a leader is chosen, or it would ask twice.
func (s *Store) Marks(ctx context.Context, mark desk.Mark, name string) ([]string, error) {
	reach := s.read
	if mark == desk.MarkContent {
		reach = s.awaitFar
	}
	return s.union(ctx, reach, func(ctx context.Context, at desk.Store) ([]string, error) { return at.Marks(ctx, mark, name) })
}

// Lock implements desk.Store. Who is present is so in both homes.
func (s *Store) Lock(ctx context.Context, kind desk.Kind, name string) (release func(), err error) {
	if kind == desk.KindPresent {
		return s.announce(ctx, name)
	}
	err = s.ask(ctx, recordOf(name), func(ctx context.Context, home desk.Store) (err error) {
		release, err = home.Lock(ctx, kind, name)
		return err
	})
	return release, err
}

// recordOf is the record that a lock is about: its name begins with the id.
func recordOf(name string) string {
	const length = 26 // of an id
	return name[:min(len(name), length)]
}

// announce takes a lock in both homes: in the far one when it can.
func (s *Store) announce(ctx context.Context, name string) (release func(), err error) {
	here, err := s.near.Lock(ctx, desk.KindPresent, name)
	if err != nil {
		return nil, err
	}
	going, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	first := make(chan struct{})
	go func() {
		defer close(done)
		there := func() {}
		for tried := false; ; tried = true {
			err := s.reach(going, sendTimeout, func(ctx context.Context) (err error) {
				release, err := s.far.Lock(ctx, desk.KindPresent, name)
				if err == nil {
					there = release
				}
				return err
			})
			if !tried {
				close(first)
			}
			if err == nil || errors.Is(err, desk.ErrDenied) || !s.awaitBack(going) {
				break
			}
		}
		<-going.Done()
		there()
	}()
	select { // as soon as it is said here it is so there, if that can be
	case <-first:
	case <-ctx.Done():
	}
	return sync.OnceFunc(func() {
		here()
		stop()
		<-done
	}), nil
}

// awaitBack returns when the far home may be there again; false if ctx ends.
func (s *Store) awaitBack(ctx context.Context) bool {
	var again <-chan struct{}
	var soon <-chan time.Time
	if o := s.lastOutage(); o.over() {
		soon = time.After(retryInterval)
	} else {
		again = o.ended
	}
	select {
	case <-again:
	case <-soon:
	case <-s.ctx.Done():
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

// MayAnswer implements desk.Entitled. Nobody can tell while the desk cannot be
// reached; it will say so itself.
func (s *Store) MayAnswer(ctx context.Context, id string) error {
	near, err := s.isNear(ctx, id)
	if near || err != nil {
		return err
	}
	err = s.reach(ctx, placeTimeout, s.far.MayAnswer)
	if errors.Is(err, desk.ErrDenied) {
		return err
	}
	return nil
}

// Locked implements desk.Store.
func (s *Store) Locked(ctx context.Context, kind desk.Kind, name string) (held bool, err error) {
	err = s.at(ctx, recordOf(name), readTimeout, func(ctx context.Context, home desk.Store) (err error) {
		held, err = home.Locked(ctx, kind, name)
		return err
	})
	if leftOut(ctx, err) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.known[recordOf(name)] != nil, nil // that its asker has gone is not known
	}
	return held, err
}

// Locks implements desk.Store.
func (s *Store) Locks(ctx context.Context, kind desk.Kind) ([]string, error) {
	names, err := s.union(ctx, s.read, func(ctx context.Context, at desk.Store) ([]string, error) { return at.Locks(ctx, kind) })
	if err == nil && kind == desk.KindAskers && s.down() {
		names = append(names, s.knownIDs(desk.Range{})...) // that their askers have gone is not known
	}
	return names, err
}

// Bell implements desk.Store.
func (s *Store) Bell(ctx context.Context, id string, look func() bool) error {
	near, err := s.isNear(ctx, id)
	switch {
	case err != nil:
		return err
	case near:
		return s.near.Bell(ctx, id, look)
	}
	for {
		err := s.hangBell(ctx, id, look)
		switch {
		case ctx.Err() == nil && errors.Is(err, errBack):
			select { // a look that fails at once does not spin
			case <-time.After(retryInterval / 10):
			case <-ctx.Done():
			}
			continue
		case err == nil, ctx.Err() != nil, !errors.Is(err, desk.ErrUnreachable):
			return err
		}
		s.markUnreachable(time.Now())
		if !s.awaitBack(ctx) {
			return context.Cause(ctx)
		}
	}
}

// errBack ends a bell because the far home is back.
var errBack = errors.New("the desk answers again")

// hangBell is Bell of the far home. A look that finds it out of reach sees nothing of
// an outcome that has just rung: there is another when it is back.
func (s *Store) hangBell(ctx context.Context, id string, look func() bool) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	missed := false
	return s.far.Bell(within, id, func() bool {
		before := s.lastOutage()
		ended := look()
		o := s.lastOutage()
		if !ended && !missed && (o != before || !o.over()) {
			missed = true
			go func() {
				select {
				case <-o.ended:
					cancel(errBack)
				case <-within.Done():
				}
			}()
		}
		return ended
	})
}

// Watch implements desk.Store. When the far home comes into reach, everything
// is to be looked at again.
func (s *Store) Watch(ctx context.Context) (<-chan desk.Change, error) {
	here, err := s.near.Watch(ctx)
	if err != nil {
		return nil, err
	}
	within, stop := context.WithCancel(ctx)
	var there <-chan desk.Change
	begin := func(ctx context.Context) (err error) { there, err = s.far.Watch(within); return err }
	err = s.reach(within, readTimeout, begin)
	denied := errors.Is(err, desk.ErrDenied)
	w := &watch{s: s, ctx: within, out: make(chan desk.Change), here: here, there: there, retry: make(chan (<-chan desk.Change))}
	go func() {
		defer close(w.out)
		defer stop()
		if denied && !w.tell(desk.Change{Err: err}) {
			return
		}
		if there == nil && !denied {
			w.again()
		}
		for w.next() {
		}
	}()
	return w.out, nil
}

// watch is one of both homes, until ctx ends or the near one does.
type watch struct {
	s           *Store
	ctx         context.Context
	out         chan desk.Change
	here, there <-chan desk.Change
	retry       chan (<-chan desk.Change)
	missed      []desk.Change // what the desk told when nothing could be read
}

// tell hands out changes, and reports whether it goes on.
func (w *watch) tell(changes ...desk.Change) bool {
	for _, c := range changes {
		if !desk.Tell(w.ctx, w.out, c) {
			return false
		}
	}
	return true
}

func (w *watch) again() { go w.s.watchAgain(w.ctx, w.retry) }

// next hands out what comes next, and reports whether it goes on.
func (w *watch) next() bool {
	select {
	case c, ok := <-w.here:
		return ok && w.tell(c) // gone, or moved away: the caller watches anew
	case c, ok := <-w.there:
		if !ok {
			w.there = nil
			w.again()
			return true
		}
		if w.s.down() {
			w.missed = append(w.missed, c)
		}
		return w.tell(c)
	case c := <-w.s.news:
		if c.ID != "" {
			return w.tell(c)
		}
		all := w.missed // the desk is back
		w.missed = nil
		return w.tell(all...)
	case w.there = <-w.retry:
		return w.tell(desk.Change{})
	}
}

// watchAgain hands out a watch of the far home when that is back, and none where
// it is denied.
func (s *Store) watchAgain(ctx context.Context, watches chan<- (<-chan desk.Change)) {
	for s.awaitBack(ctx) {
		changes, err := s.far.Watch(ctx)
		switch {
		case err == nil:
			select {
			case watches <- changes:
			case <-ctx.Done():
			}
			return
		case errors.Is(err, desk.ErrDenied):
			return
		}
		s.markUnreachable(time.Now())
	}
}
