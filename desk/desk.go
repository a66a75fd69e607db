// Package desk keeps records (a question set, who asked it, what became of it)
// and their life: asked, answered or ended otherwise, waited for, watched,
// archived. It keeps them in a [Store] and decides who was first. Of our
// packages it imports question only; it must not know any surface, any
// protocol, or where the store keeps its documents.
package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"mcp-askuser/question"
)

// Options are what a desk needs from outside. The zero value is ready.
type Options struct {
	Now  func() time.Time // the clock; time.Now if nil
	Rand io.Reader        // the source of ids; crypto/rand if nil
	Log  *slog.Logger     // damaged documents, missed notifications; silent if nil
}

// Desk hands in questions, takes replies and lets others wait and watch. It is
// safe for concurrent use, and shares its store with the desks of other
// processes.
type Desk struct {
	store Store
	now   func() time.Time
	log   *slog.Logger
	hub   hub

	mu     sync.Mutex
	ids    *ids
	rounds map[string]int // by session
}

// New returns a desk over store. It does no I/O, and nothing runs in the
// background until somebody waits or watches.
func New(store Store, opts Options) *Desk {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	log := cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	if opts.Rand == nil {
		opts.Rand = rand.Reader
	}
	return &Desk{
		store:  store,
		now:    opts.Now,
		log:    log,
		hub:    hub{store: store, log: log, subs: map[string]map[*subscription]struct{}{}},
		ids:    newIDs(opts.Rand),
		rounds: map[string]int{},
	}
}

// Ask puts a set on the desk. The record is committed before Ask returns, so
// before any surface can show it. Ids ascend in the order of asking (D7).
//
// Rounds are counted per session by this process: to count what other
// processes asked in the session would take a look at the whole archive. A
// question that could not be stored still uses up its round.
func (d *Desk) Ask(ctx context.Context, set question.Set, session string, by Asker) (Record, error) {
	rec := Record{SessionID: session, Asker: by, State: Pending, Set: set}
	if err := d.number(&rec); err != nil {
		return Record{}, fmt.Errorf("number the question: %w", err)
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return Record{}, fmt.Errorf("encode the question: %w", err)
	}
	if err := d.store.Create(ctx, KindPending, rec.ID, data); err != nil {
		return Record{}, fmt.Errorf("store the question: %w", err)
	}
	return rec, nil
}

func (d *Desk) number(rec *Record) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	rec.CreatedAt = d.time()
	if rec.ID, err = d.ids.next(rec.CreatedAt); err != nil {
		return err
	}
	rec.Round = 1
	if rec.SessionID != "" {
		d.rounds[rec.SessionID]++
		rec.Round = d.rounds[rec.SessionID]
	}
	return nil
}

// time is now as it reads when it comes back from the store.
func (d *Desk) time() time.Time { return d.now().Round(0).UTC() }
