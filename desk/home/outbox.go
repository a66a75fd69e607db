package home

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"mcp-askuser/desk"
)

// The outbox has one entry at most for a record: the last answer that was given on
// this machine and could not be sent. An entry has one state:
//
//	       enqueue
//	          |
//	          v   the desk took it
//	       queued -----------------> (no entry)
//	        |  |
//	        |  | another outcome was first          told
//	        |  +-------------------------> late ----------> (no entry)
//	        |
//	        | the desk does not take it        told
//	        +--------------------------> rejected ----> told ----> (no entry)
//	                                                          answered again, or old
//
// An answer that is given anew takes the place of an entry in any state. A change is
// one synced replacement of the entry's document, under the entry's lock, and only
// of the answer that it is about. The lock is not held while an answer is sent: two
// processes may send the same bytes, which counts once.

// kindOutbox is the collection of the entries, beside the directory's own.
const kindOutbox desk.Kind = "outbox"

// state is that of an entry.
type state string

const (
	stateQueued   state = "queued"   // to be sent
	stateLate     state = "late"     // another outcome was first; the user is to be told
	stateRejected state = "rejected" // the desk does not take it; the user is to be told
	stateTold     state = "told"     // rejected, and told; what was answered is offered again
)

// entry is a document of the outbox.
type entry struct {
	State   state           `json:"state"`
	Since   time.Time       `json:"since"`
	Outcome json.RawMessage `json:"outcome"`          // as it was given, sealed
	First   *desk.Outcome   `json:"first,omitempty"`  // late: the outcome that was there
	Reason  string          `json:"reason,omitempty"` // rejected: why
}

// Notice is an answer that does not count, which its user has not seen.
type Notice struct {
	ID     string        // of the record
	First  *desk.Outcome // the outcome that was there; nil where the answer was rejected
	Reason string        // why it was rejected
}

// How long the outbox waits.
const (
	retryFirst  = time.Second      // before entries are tried again; each pause is twice the last
	retryMost   = time.Minute      // the longest pause
	entryLimit  = 40 * time.Second // to send one entry: longer than a store needs to be certain
	lockWait    = 10 * time.Second // for the lock of an entry, held by others for milliseconds
	lookAgain   = time.Minute      // between looks at what other processes have put in
	keepOffered = desk.SessionKeep // an answer that was rejected, and told
)

// outbox sends answers that could not be sent at once.
type outbox struct {
	home *Store     // its near home has the entries
	far  *desk.Desk // the far home

	mu       sync.Mutex
	entries  map[string]entry // as last read or written
	read     time.Time        // when all were
	draining bool
	again    bool // something was queued since draining began its last turn
}

// enqueue keeps an answer to be sent, in place of an earlier one to the same
// record. When it returns nil the answer survives the death of the machine.
func (o *outbox) enqueue(ctx context.Context, id string, outcome []byte) error {
	return o.update(ctx, id, func(*entry) (*entry, error) {
		return &entry{State: stateQueued, Since: time.Now(), Outcome: outcome}, nil
	})
}

// remove takes out the entry of a record that was answered since.
func (o *outbox) remove(ctx context.Context, id string) error {
	if _, err := o.home.near.Get(ctx, kindOutbox, id); errors.Is(err, desk.ErrNotFound) {
		return nil
	}
	return o.update(ctx, id, func(*entry) (*entry, error) { return nil, nil })
}

// errReplaced means that the entry has another answer than the one that was sent.
var errReplaced = errors.New("the answer was replaced meanwhile")

// replace replaces an entry, if its answer is still the one that was sent; nil removes
// it.
func (o *outbox) replace(ctx context.Context, id string, sent entry, next *entry) error {
	return o.update(ctx, id, func(now *entry) (*entry, error) {
		switch {
		case now == nil: // another process was first
			return nil, nil
		case now.State != sent.State || !bytes.Equal(now.Outcome, sent.Outcome):
			return now, errReplaced
		}
		return next, nil
	})
}

// update replaces the entry of a record, nil where there is none, with the result of
// become; nil removes it. With an error the document stays as it is.
func (o *outbox) update(ctx context.Context, id string, become func(now *entry) (*entry, error)) error {
	release, err := o.lockEntry(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	now, err := o.load(ctx, id)
	if err != nil && !errors.Is(err, desk.ErrNotFound) && !errors.Is(err, desk.ErrDamaged) {
		return err
	}
	next, replaced := become(now)
	switch {
	case replaced != nil:
		err = nil
	case next == nil:
		err = o.home.near.Delete(ctx, kindOutbox, id)
	default:
		var data []byte
		if data, err = json.Marshal(next); err == nil {
			err = o.home.near.Put(ctx, kindOutbox, id, data)
		}
	}
	if err == nil {
		o.set(id, next)
	}
	return cmp.Or(err, replaced)
}

// lockEntry takes the lock of an entry, which others hold while they write a file.
func (o *outbox) lockEntry(ctx context.Context, id string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		release, err = o.home.near.Lock(ctx, kindOutbox, id)
		if !errors.Is(err, desk.ErrLocked) {
			return release, err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // jitter
		case <-ctx.Done():
			return nil, err
		}
	}
}

// load reads an entry. Versions before the states had the outcome alone.
func (o *outbox) load(ctx context.Context, id string) (*entry, error) {
	data, err := o.home.near.Get(ctx, kindOutbox, id)
	if err != nil {
		return nil, err
	}
	e := &entry{}
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("%w: outbox %s: %w", desk.ErrDamaged, id, err)
	}
	if e.State == "" {
		e = &entry{State: stateQueued, Outcome: data}
	}
	return e, nil
}

// loadAll reads all entries, and returns the ids of those that are queued.
func (o *outbox) loadAll(ctx context.Context) (queued []string, err error) {
	all := map[string]entry{}
	for id, err := range o.home.near.List(ctx, kindOutbox, desk.Range{}) {
		if err != nil {
			return nil, err
		}
		e, err := o.load(ctx, id)
		switch {
		case errors.Is(err, desk.ErrNotFound): // sent in this moment
			continue
		case errors.Is(err, desk.ErrDamaged):
			o.home.log.Error("an entry of the outbox cannot be read, and is left", "id", id, "error", err)
			continue
		case err != nil:
			return nil, err
		}
		if e.State == stateTold && time.Since(e.Since) > keepOffered {
			_ = o.replace(ctx, id, *e, nil) // the next look tries again
			continue
		}
		if all[id] = *e; e.State == stateQueued {
			queued = append(queued, id)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries, o.read = all, time.Now()
	return queued, nil
}

// entry is that of a record, as last read.
func (o *outbox) entry(id string) entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.entries[id]
}

// set notes the entry of a record; nil where it was removed.
func (o *outbox) set(id string, e *entry) {
	o.mu.Lock()
	if e != nil {
		o.entries[id] = *e
	} else {
		delete(o.entries, id)
	}
	o.mu.Unlock()
	o.home.notify(desk.Change{Kind: desk.KindDrafts, ID: id})
}

// stale reports whether other processes may have queued something since the last
// look.
func (o *outbox) stale() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.read) > lookAgain
}

// drain sends what is queued until nothing is, or the desk cannot be reached: its
// return calls drain again. What could not be sent for another reason is tried again
// after a pause, which doubles.
func (o *outbox) drain(ctx context.Context) {
	o.mu.Lock()
	o.again = true
	if o.draining {
		o.mu.Unlock()
		return
	}
	o.draining, o.read = true, time.Now()
	for pause := retryFirst; o.again; pause = min(2*pause, retryMost) {
		o.again = false
		o.mu.Unlock()
		left, err := o.flushOnce(ctx)
		if err == nil && left > 0 {
			select {
			case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // jitter
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		o.mu.Lock()
		o.again = o.again || err == nil && left > 0
	}
	o.draining = false
	o.mu.Unlock()
}

// flushOnce tries once to send every entry that is queued, and returns how many are
// left. The error says that the desk cannot be reached, which ends it early.
func (o *outbox) flushOnce(ctx context.Context) (left int, err error) {
	queued, err := o.loadAll(ctx)
	if err != nil {
		o.home.log.Warn("the outbox cannot be read", "error", err)
		return 1, nil
	}
	for _, id := range queued {
		e := o.entry(id) // another answer may have replaced it since it was loaded
		within, cancel := context.WithTimeoutCause(ctx, entryLimit, errTimeout)
		err := o.send(within, id, e)
		cancel()
		if err == nil {
			continue
		}
		left++
		o.home.log.Warn("an answer is not sent yet", "id", id, "error", err)
		if uncertain(err) {
			if err := o.home.reach(ctx, readTimeout, o.home.far.Ping); errors.Is(err, desk.ErrUnreachable) {
				return left, err
			}
		}
	}
	return left, nil
}

// uncertain reports whether an answer may be sent later: the desk has not decided on it.
func uncertain(err error) bool {
	return errors.Is(err, desk.ErrUnreachable) || errors.Is(err, desk.ErrUncertain)
}

// send decides the record with a queued answer, as any other answer does, and settles
// its entry.
func (o *outbox) send(ctx context.Context, id string, e entry) error {
	_, err := o.far.Send(ctx, id, e.Outcome)
	closed, late := errors.AsType[*desk.ClosedError](err)
	next := &entry{Since: time.Now(), Outcome: e.Outcome}
	switch {
	case err == nil:
		next = nil
		o.home.forget(id)
	case late:
		next.State, next.First = stateLate, &closed.Outcome
		o.home.log.Warn("an answer that was given while the desk was out of reach came too late", "id", id, "error", err)
		o.home.forget(id)
	case uncertain(err), ctx.Err() != nil:
		return cmp.Or(err, context.Cause(ctx))
	default:
		next.State, next.Reason = stateRejected, err.Error()
		o.home.log.Error("the desk does not take an answer that was given while it was out of reach", "id", id, "error", err)
	}
	return o.replace(context.WithoutCancel(ctx), id, e, next)
}

// LocalOutcome implements desk.Keeper.
func (s *Store) LocalOutcome(id string) (outcome []byte, queued bool) {
	e := s.outbox.entry(id)
	return e.Outcome, e.State == stateQueued
}

// Notices returns the answers that do not count, and of which their user was not
// told yet. Told says that the user was.
func (s *Store) Notices(ctx context.Context) (all []Notice, err error) {
	for id, err := range s.near.List(ctx, kindOutbox, desk.Range{}) {
		if err != nil {
			return all, err
		}
		if e, err := s.outbox.load(ctx, id); err == nil && (e.State == stateLate || e.State == stateRejected) {
			all = append(all, Notice{id, e.First, e.Reason})
		}
	}
	return all, nil
}

// Told ends a notice. A rejected answer is offered when its question is answered again;
// a late one is removed.
func (s *Store) Told(ctx context.Context, id string) error {
	return s.outbox.update(ctx, id, func(now *entry) (*entry, error) {
		switch {
		case now == nil, now.State == stateLate:
			return nil, nil
		case now.State == stateRejected:
			now.State, now.Since = stateTold, time.Now()
		}
		return now, nil
	})
}
