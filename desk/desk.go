// Package desk keeps records (a question set, its asker, its outcome) and their life:
// asked, answered or ended otherwise, waited for, watched, delivered, pruned. It keeps them
// as rows of a [store.Store], which decides what was first; the desk decides what a row
// means: who answered, whether that may end the record, which call receives it. Of our
// packages it imports question, desk/store, desk/proof and, for the process tree,
// internal/agenthost and internal/proc; it must not know any surface, any protocol, or
// where the store keeps its rows.
package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/store"
)

// Options are what a desk needs from outside. The zero value is ready.
type Options struct {
	Now  func() time.Time // the clock; time.Now if nil
	Rand io.Reader        // the source of ids, which never fails; crypto/rand if nil
	Log  *slog.Logger     // damaged records, failures that end no call; silent if nil

	// Keep is how long a question without a waiting asker stays open, and an
	// answer that was not collected is kept for its asker; 24 hours if 0.
	Keep time.Duration
	// KeepHistory is how long the questions of the past are kept, counted from when they
	// were asked; 0 is for ever. See [Desk.TidyUp].
	KeepHistory time.Duration
	// MaxRounds is how many rounds in a row one session may ask; 0 is no limit.
	// A pause of Pause between two rounds ends the row; 10 minutes if 0.
	MaxRounds int
	Pause     time.Duration

	// Prove says which records require proof. Keys returns the keys of this machine, after
	// change unless that is nil; it is called for records with a proof. None if nil.
	Prove Policy
	Keys  func(change func(*proof.Keys) error) (proof.Keys, error)
	// Credential is this user's on a shared desk; nil without one.
	Credential Credential
	// Copies is the directory for copies of files of answers, for agents to read; they are
	// not copied if empty.
	Copies string
}

// Credential is what a process has on a shared desk.
type Credential interface {
	// Sign signs. The key, public, is empty where the credential is no user's: an agent's.
	Sign(sum []byte) (key string, signature []byte, err error)
	// Humans returns the names of the users of the shared desk, by public key: of those who
	// answer, and of those who have answered before.
	Humans(ctx context.Context) (now, former map[string]string, err error)
}

// Desk hands in questions, takes replies and lets others wait and watch. It is
// safe for concurrent use, and shares its store with the desks of other
// processes.
type Desk struct {
	store      store.Store
	credential Credential
	now        func() time.Time
	log        *slog.Logger
	copies     string

	keepTime, keepHistory, pause time.Duration
	maxRounds                    int
	prove                        Policy
	keys                         func(change func(*proof.Keys) error) (proof.Keys, error)

	numbering sync.Mutex            // see ask
	tidied    atomic.Int64          // see TidyUp: when, in seconds since 1970
	damaged   sync.Map              // ids of damaged records, which were logged
	away      atomic.Pointer[error] // see Away
	asked     sync.Map              // statements of what this process has asked, by id

	remembered sync.Map // what Remembered has found, by id

	ids ids
}

// New returns a desk over a store. It does no I/O, and nothing runs in the
// background until the first wait or watch.
func New(s store.Store, opts Options) *Desk {
	d := &Desk{
		store:       s,
		credential:  opts.Credential,
		now:         opts.Now,
		log:         cmp.Or(opts.Log, slog.New(slog.DiscardHandler)),
		copies:      opts.Copies,
		keepTime:    cmp.Or(opts.Keep, 24*time.Hour),
		keepHistory: opts.KeepHistory,
		pause:       cmp.Or(opts.Pause, 10*time.Minute),
		maxRounds:   opts.MaxRounds,
		prove:       opts.Prove,
		keys:        opts.Keys,
		ids:         ids{entropy: ulid.Monotonic(cmp.Or(opts.Rand, rand.Reader), 0)},
	}
	if d.now == nil {
		d.now = time.Now
	}
	if d.keys == nil {
		d.keys = func(func(*proof.Keys) error) (proof.Keys, error) { return proof.Keys{}, nil }
	}
	return d
}

// time is now as it reads when it comes back from the store.
func (d *Desk) time() time.Time { return d.now().Round(0).UTC() }

// Announce says that an inbox or a page is open, until release is called or the
// process ends.
func (d *Desk) Announce(ctx context.Context, name string) (release func(), err error) {
	ctx, end := context.WithCancel(ctx)
	changes, err := d.store.Changes(ctx, name)
	if err != nil {
		end()
		return nil, err
	}
	return func() {
		end()
		for range changes { // until the store knows
		}
	}, nil
}

// Present returns the names of the inboxes and pages that are open and list a record, or any where the
// id is empty, each once: those on this machine also beside an error that wraps ErrUnreachable.
func (d *Desk) Present(ctx context.Context, id string) ([]string, error) {
	return d.store.Present(ctx, id)
}
