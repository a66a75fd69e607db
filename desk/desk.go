// Package desk keeps records (a question set, its asker, its outcome) and their life:
// asked, answered or ended otherwise, waited for, watched, archived, pruned. It keeps
// them in a [Store], and decides which answer was first and who gave it. Of our packages
// it imports question, proof and, for the process tree, internal/agenthost and
// internal/proc; it must not know any surface, any protocol, or where the store keeps its
// documents.
package desk

import (
	"cmp"
	"crypto/rand"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk/proof"
)

// Options are what a desk needs from outside. The zero value is ready.
type Options struct {
	Now  func() time.Time // the clock; time.Now if nil
	Rand io.Reader        // the source of ids, which never fails; crypto/rand if nil
	Log  *slog.Logger     // damaged documents, missed notifications; silent if nil

	// Keep is how long a question without a waiting asker stays open, and an
	// answer that was not collected is kept for its asker; 24 hours if 0.
	Keep time.Duration
	// KeepHistory is how long the questions of the past are kept, counted from when they
	// were asked; 0 is for ever. They are pruned when something is archived, at most once
	// a day, in Own: the store where this user alone decides that; the desk's if nil.
	KeepHistory time.Duration
	Own         Store
	// MaxRounds is how many rounds in a row one session may ask; 0 is no limit.
	// A pause of Pause between two rounds ends the row; 10 minutes if 0.
	MaxRounds int
	Pause     time.Duration

	// Prove says which records require proof. Keys returns the keys beside the store, after
	// change unless that is nil; it is called for records with a proof. None if nil.
	Prove Policy
	Keys  func(change func(*proof.Keys) error) (proof.Keys, error)
}

// Desk hands in questions, takes replies and lets others wait and watch. It is
// safe for concurrent use, and shares its store with the desks of other
// processes.
type Desk struct {
	store  Store
	keeper Keeper // the same store, where it has more than one home; else nil
	signer Signer // the same store, where humans sign with their credentials; else nil
	now    func() time.Time
	log    *slog.Logger
	hub    hub

	keepTime, pause time.Duration
	maxRounds       int
	prove           Policy
	keys            func(change func(*proof.Keys) error) (proof.Keys, error)

	numbering    sync.Mutex // see number
	sweep        sync.Once  // see Archive
	retention    retention
	loggedDamage sync.Map // ids of damaged records that were logged

	statements sync.Map // of what this process has asked and not archived, by id

	ids ids

	presence  sync.Mutex         // guards announced
	announced map[*string]func() // releases, by the name
}

// New returns a desk over store. It does no I/O, and nothing runs in the
// background until the first wait or watch.
func New(store Store, opts Options) *Desk {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	d := &Desk{
		store:     store,
		now:       opts.Now,
		log:       cmp.Or(opts.Log, slog.New(slog.DiscardHandler)),
		keepTime:  cmp.Or(opts.Keep, 24*time.Hour),
		pause:     cmp.Or(opts.Pause, 10*time.Minute),
		maxRounds: opts.MaxRounds,
		prove:     opts.Prove,
		keys:      opts.Keys,
		ids:       ids{entropy: ulid.Monotonic(cmp.Or(opts.Rand, rand.Reader), 0)},
		announced: map[*string]func(){},
	}
	if d.keys == nil {
		d.keys = func(func(*proof.Keys) error) (proof.Keys, error) { return proof.Keys{}, nil }
	}
	d.keeper, _ = store.(Keeper)
	d.signer, _ = store.(Signer)
	d.hub = hub{desk: d, listeners: map[*listener]struct{}{}}
	d.retention.desk, d.retention.keep = d, opts.KeepHistory
	if opts.Own != nil {
		d.retention.desk = New(opts.Own, Options{Now: opts.Now, Rand: opts.Rand, Log: opts.Log})
	}
	return d
}

// nextID returns a new id and the time in it.
func (d *Desk) nextID() (id string, at time.Time) {
	at = d.time()
	return d.ids.next(at), at
}

// time is now as it reads when it comes back from the store.
func (d *Desk) time() time.Time { return d.now().Round(0).UTC() }
