// Package home is the store of a desk with two homes: one that many machines
// share, and this machine's own directory for when the other does not answer.
// A question has one home, chosen when it is asked, and keeps it; the two are
// never merged. A reader sees both as one.
//
// What was read from the shared desk is remembered, so that a question stays in
// view while its home is out of reach. An answer that is given then is kept in an
// outbox beside the directory's documents, and sent when the desk answers again; if
// another was first, that one is kept for the user to be told.
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
	"slices"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/spool"
)

// Local is the name of this machine's home.
const Local = "local"

// How long the shared desk may take.
const (
	placeTimeout    = 2 * time.Second  // before a question is asked here, and to be connected to
	electionTimeout = 12 * time.Second // the same, where it has answered this process before
	readTimeout     = 5 * time.Second  // before the remembered state is shown
	sendTimeout     = 10 * time.Second // before an answer goes to the outbox
	retryInterval   = time.Second      // between two tries to reach it again
)

// Far is the store that is shared.
type Far interface {
	desk.Store
	desk.Reader
	desk.Placer
	desk.Signer
	// MayAnswer returns an error that wraps desk.ErrDenied where the credential
	// is an agent's.
	MayAnswer(ctx context.Context) error
	// Ping returns nil if the desk answers.
	Ping(ctx context.Context) error
}

// Open returns the store of this machine's own directory, an absolute path, and of the
// shared desk, unless that has no URL. It connects to nothing.
func Open(dir string, shared nats.Options) (desk.Store, error) {
	near, err := spool.Open(dir)
	if err != nil || shared.URL == "" {
		return near, err
	}
	far, err := nats.Open(shared)
	if err != nil {
		return nil, err
	}
	return Join(near, far, shared.Log), nil
}

// Store is a desk.Store of two homes.
type Store struct {
	near   desk.Store
	far    Far
	log    *slog.Logger
	outbox *outbox
	ctx    context.Context // of what runs in the background
	close  context.CancelFunc

	askedHere  sync.Map  // ids of records that are being asked on this machine
	forgetOnce sync.Once // see forgetAsked

	mu      sync.Mutex
	outage  *outage           // the last one; nil before the first
	reached bool              // the far home has answered this process
	rules   desk.Rules        // of the far home, as last read
	open    map[string][]byte // far records that were open when last read

	changes chan desk.Change // changes of the outbox, and ends of outages, for the watch
}

var (
	_ desk.Store    = (*Store)(nil)
	_ desk.Reader   = (*Store)(nil)
	_ desk.Entitled = (*Store)(nil)
	_ desk.Keeper   = (*Store)(nil)
	_ desk.Unmarker = (*Store)(nil)
	_ desk.Signer   = (*Store)(nil)
)

// Join returns the store of two homes.
func Join(near desk.Store, far Far, log *slog.Logger) *Store {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	s := &Store{near: near, far: far, log: log, open: map[string][]byte{}, changes: make(chan desk.Change, 16)}
	s.ctx, s.close = context.WithCancel(context.Background())
	s.outbox = &outbox{home: s, far: desk.New(far, desk.Options{Log: log}), entries: map[string]entry{}}
	if queued, err := s.outbox.loadAll(s.ctx); err != nil {
		log.Warn("the outbox cannot be read", "error", err)
	} else if len(queued) > 0 {
		s.outbox.read = time.Time{} // sent once the far home answers
	}
	return s
}

// Close ends the background work. Queued answers wait for the next process.
func (s *Store) Close() { s.close() }

// Place implements desk.Placer: here, if the shared desk does not answer in time, or
// if the earlier one is here.
func (s *Store) Place(ctx context.Context, id, earlier string) (placed string, err error) {
	near := false
	if earlier != "" {
		if near, err = s.isNear(ctx, earlier); err != nil {
			return id, err
		}
	}
	if !near {
		err = s.awaitFar(ctx, func(ctx context.Context) (err error) {
			if err = s.far.Ping(ctx); err == nil {
				placed, err = s.far.Place(ctx, id, earlier)
			}
			return err
		})
		if err == nil || ctx.Err() != nil {
			return placed, err
		}
		s.log.Warn("a question is asked on this machine alone", "id", id, "error", err)
	}
	s.askedHere.Store(id, true)
	return id, nil
}

// Home implements desk.Keeper.
func (s *Store) Home(id string) string {
	if near, err := s.isNear(context.Background(), id); near && err == nil {
		return Local
	}
	return ""
}

// Path implements desk.Store.
func (s *Store) Path(kind desk.Kind, id string) string {
	if s.Home(id) != Local {
		return ""
	}
	return s.near.Path(kind, id)
}

// isNear reports whether a record's home is here: a document of it is. A directory that
// cannot be read is an error: the record may be there.
func (s *Store) isNear(ctx context.Context, id string) (bool, error) {
	_, pinned := s.askedHere.Load(id)
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

// callHome calls the home of a record; the far one through reach.
func (s *Store) callHome(ctx context.Context, id string, reach reacher, call func(context.Context, desk.Store) error) error {
	near, err := s.isNear(ctx, id)
	switch {
	case err != nil:
		return err
	case near:
		return call(ctx, s.near)
	}
	return reach(ctx, func(ctx context.Context) error { return call(ctx, s.far) })
}

// Create implements desk.Store.
func (s *Store) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	near, err := s.isNear(ctx, id)
	switch {
	case err != nil:
		return err
	case !near:
		// For as long as it takes to be certain: a question that was perhaps asked
		// there is not asked here.
		err = s.far.Create(ctx, kind, id, data)
		s.remember([]desk.Key{{Kind: kind, ID: id}}, []desk.Document{{Data: data, Err: err}})
		return err
	}
	if err = s.near.Create(ctx, kind, id, data); err == nil {
		s.askedHere.Delete(id)
	}
	return err
}

// Decide implements desk.Store. A human's outcome is queued where the far home is out
// of reach: the error is ErrUnsent then.
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

// notify reports a change to the watch; the zero one after an outage, for all changes that
// could not be read.
func (s *Store) notify(c desk.Change) {
	select {
	case s.changes <- c:
	default: // without a watch
	}
}

// Put implements desk.Store.
func (s *Store) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	return s.callHome(ctx, id, s.within(placeTimeout), func(ctx context.Context, home desk.Store) error { return home.Put(ctx, kind, id, data) })
}

// Get implements desk.Store.
func (s *Store) Get(ctx context.Context, kind desk.Kind, id string) ([]byte, error) {
	doc := s.Read(ctx, desk.Key{Kind: kind, ID: id})[0]
	return doc.Data, doc.Err
}

// Read implements desk.Reader. A far record that cannot be read now counts as open if
// it was open when last read.
func (s *Store) Read(ctx context.Context, keys ...desk.Key) []desk.Document {
	out := make([]desk.Document, len(keys))
	var far []desk.Key
	var at []int
	for i, key := range keys {
		near, err := s.isNear(ctx, key.ID)
		switch {
		case err != nil:
			out[i].Err = err
		case near:
			out[i].Data, out[i].Err = s.near.Get(ctx, key.Kind, key.ID)
		default:
			far, at = append(far, key), append(at, i)
		}
	}
	if len(far) == 0 {
		return out
	}
	var docs []desk.Document
	err := s.reach(ctx, readTimeout, func(ctx context.Context) error {
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

// remember keeps open records, until their end is read. In one read a reply may come
// before its record.
func (s *Store) remember(keys []desk.Key, docs []desk.Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, key := range keys {
		if key.Kind == desk.KindPending && docs[i].Err == nil {
			s.open[key.ID] = docs[i].Data
		}
	}
	for i, key := range keys {
		switch err := docs[i].Err; key.Kind {
		case desk.KindPending:
			if errors.Is(err, desk.ErrNotFound) {
				delete(s.open, key.ID)
			}
		case desk.KindReplies, desk.KindArchive:
			if err == nil {
				delete(s.open, key.ID)
			}
		default: // of no record, or beside one
		}
	}
}

// remembered is the last known state of a document that cannot be read now.
func (s *Store) remembered(key desk.Key, err error) desk.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, known := s.open[key.ID]
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
	delete(s.open, id)
}

// Delete implements desk.Store.
func (s *Store) Delete(ctx context.Context, kind desk.Kind, id string) error {
	direct := func(ctx context.Context, call func(context.Context) error) error { return call(ctx) }
	return s.callHome(ctx, id, direct, func(ctx context.Context, home desk.Store) error { return home.Delete(ctx, kind, id) })
}

// List implements desk.Store: the ids of both homes.
func (s *Store) List(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	return desk.Merge(s.near.List(ctx, kind, in), s.listFar(ctx, kind, in))
}

// listFar is List of the far home; of remembered records while it is out of reach.
func (s *Store) listFar(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	if kind == desk.KindArchive {
		return s.listFarArchive(ctx, in)
	}
	return func(yield func(string, error) bool) {
		var ids []string
		err := s.reach(ctx, readTimeout, func(ctx context.Context) error {
			for id, err := range s.far.List(ctx, kind, in) {
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		})
		if unreachable(ctx, err) {
			if err = nil; kind == desk.KindPending {
				ids = s.openIDs(in)
			}
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

// listFarArchive reads month by month, and no further than its caller.
func (s *Store) listFarArchive(ctx context.Context, in desk.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if s.down() {
			return
		}
		for id, err := range s.far.List(ctx, desk.KindArchive, in) {
			if unreachable(ctx, err) || !yield(id, err) || err != nil {
				return
			}
		}
	}
}

func (s *Store) openIDs(in desk.Range) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for id := range s.open {
		if in.Has(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids
}

// unreachable reports whether the far home is left out of a result, as it cannot be reached.
func unreachable(ctx context.Context, err error) bool {
	return ctx.Err() == nil && errors.Is(err, desk.ErrUnreachable)
}

// union is the result of both homes; of the near one where the far one cannot be
// reached.
func (s *Store) union(ctx context.Context, reach reacher, of func(context.Context, desk.Store) ([]string, error)) ([]string, error) {
	here, err := of(ctx, s.near)
	if err != nil {
		return nil, err
	}
	var there []string
	err = reach(ctx, func(ctx context.Context) (err error) {
		there, err = of(ctx, s.far)
		return err
	})
	if err != nil && !unreachable(ctx, err) {
		return nil, err
	}
	all := slices.Concat(here, there)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Mark implements desk.Store.
func (s *Store) Mark(ctx context.Context, mark desk.Mark, name, id string) error {
	return s.callHome(ctx, id, s.awaitFar, func(ctx context.Context, home desk.Store) error { return home.Mark(ctx, mark, name, id) })
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
	return s.callHome(ctx, id, s.within(sendTimeout), func(ctx context.Context, home desk.Store) error { return home.Unmark(ctx, mark, name, id) })
}

// Marks implements desk.Store. The search for the same question waits while a leader is
// elected, or the question would be asked twice.
func (s *Store) Marks(ctx context.Context, mark desk.Mark, name string) ([]string, error) {
	reach := s.within(readTimeout)
	if mark == desk.MarkContent {
		reach = s.awaitFar
	}
	return s.union(ctx, reach, func(ctx context.Context, at desk.Store) ([]string, error) { return at.Marks(ctx, mark, name) })
}

// Lock implements desk.Store. The lock of an inbox or a page is taken in both homes.
func (s *Store) Lock(ctx context.Context, kind desk.Kind, name string) (release func(), err error) {
	if kind == desk.KindPresent {
		return s.announce(ctx, name)
	}
	err = s.callHome(ctx, desk.RecordOf(name), s.awaitFar, func(ctx context.Context, home desk.Store) (err error) {
		release, err = home.Lock(ctx, kind, name)
		return err
	})
	return release, err
}

// announce takes a lock in both homes: in the far one when that can be reached.
func (s *Store) announce(ctx context.Context, name string) (release func(), err error) {
	here, err := s.near.Lock(ctx, desk.KindPresent, name)
	if err != nil {
		return nil, err
	}
	there := func() {}
	lockFar := func(ctx context.Context) (retry bool) {
		err := s.reach(ctx, sendTimeout, func(ctx context.Context) error {
			release, err := s.far.Lock(ctx, desk.KindPresent, name)
			if err == nil {
				there = release
			}
			return err
		})
		return err != nil && !errors.Is(err, desk.ErrDenied)
	}
	within, stop := context.WithCancel(context.Background())
	var retrying sync.WaitGroup
	if lockFar(ctx) {
		retrying.Go(func() {
			for s.awaitBack(within) && lockFar(within) {
			}
		})
	}
	return sync.OnceFunc(func() {
		here()
		stop()
		retrying.Wait()
		there()
	}), nil
}

// Rules implements desk.Signer. This machine's own records have none.
func (s *Store) Rules(ctx context.Context, id string) (desk.Rules, error) {
	near, err := s.isNear(ctx, id)
	if near || err != nil {
		return desk.Rules{}, err
	}
	var r desk.Rules
	err = s.reach(ctx, placeTimeout, func(ctx context.Context) (err error) {
		r, err = s.far.Rules(ctx, id)
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.rules = r
	}
	return s.rules, err
}

// Keys implements desk.Signer.
func (s *Store) Keys(ctx context.Context, id string, change func(*proof.Keys) error) (keys map[string]proof.Keys, err error) {
	near, err := s.isNear(ctx, id)
	if near || err != nil {
		return nil, err
	}
	err = s.reach(ctx, readTimeout, func(ctx context.Context) (err error) {
		keys, err = s.far.Keys(ctx, id, change)
		return err
	})
	return keys, err
}

// Sign implements desk.Signer.
func (s *Store) Sign(ctx context.Context, id string, sum []byte) (key string, signature []byte, err error) {
	if near, err := s.isNear(ctx, id); near || err != nil {
		return "", nil, err
	}
	return s.far.Sign(ctx, id, sum)
}

// MayAnswer implements desk.Entitled. While the desk cannot be reached an answer is
// taken; the desk refuses it later if it must.
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
	err = s.callHome(ctx, desk.RecordOf(name), s.within(readTimeout), func(ctx context.Context, home desk.Store) (err error) {
		held, err = home.Locked(ctx, kind, name)
		return err
	})
	if unreachable(ctx, err) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.open[desk.RecordOf(name)] != nil, nil // perhaps its asker still waits
	}
	return held, err
}

// Locks implements desk.Store.
func (s *Store) Locks(ctx context.Context, kind desk.Kind) ([]string, error) {
	names, err := s.union(ctx, s.within(readTimeout), func(ctx context.Context, at desk.Store) ([]string, error) { return at.Locks(ctx, kind) })
	if err == nil && kind == desk.KindAskers && s.down() {
		names = append(names, s.openIDs(desk.Range{})...) // perhaps their askers still wait
	}
	return names, err
}
