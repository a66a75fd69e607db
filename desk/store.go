package desk

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"mcp-askuser/desk/proof"
)

// Kind is one of the collections of a store.
type Kind string

// The collections of documents, named as their directories are.
const (
	KindPending Kind = "pending" // a record as it was asked, written once
	KindReplies Kind = "replies" // its outcome: that it exists is the decision
	KindArchive Kind = "archive" // record and outcome together, once both are known

	KindDrafts  Kind = "drafts"  // what a human is typing, replaced as it grows
	KindShowing Kind = "showing" // where a record is shown, replaced as it changes
)

// The collections of locks.
const (
	KindAskers  Kind = "askers"  // one per record that an asker waits for
	KindPresent Kind = "present" // one per open inbox or web page
)

// Mark is one of the indexes of a store: sets of record ids, by name.
type Mark string

// The indexes. They are hints: an id in one may belong to no record.
const (
	MarkContent  Mark = "content"  // records that ask the same, by digest, until their answer is delivered
	MarkSessions Mark = "sessions" // records of a session
	MarkLifted   Mark = "lifted"   // sessions whose round limit is lifted, by one id each
	MarkReopened Mark = "reopened" // records that go back to another, by its id
	MarkAnswered Mark = "answered" // archived records in which a question of a project was answered, by digest
	MarkPruned   Mark = "pruned"   // when the history was pruned the last time, as an id
)

// Role is in whose name a record is ended.
type Role string

// The roles.
const (
	RoleHuman Role = "human" // an answer, or a word to close the question
	RoleAsker Role = "asker" // withdrawn, timed out, no human reached
)

// Errors of a store. A store returns them, or errors that wrap them; any other error is a
// failure, and says what its owner can do about it.
var (
	ErrExists     = errors.New("is there already")
	ErrNotFound   = errors.New("no such question")
	ErrDamaged    = errors.New("damaged document in the store (mend it, or move it away)")
	ErrUnreadable = errors.New("the store cannot be read")
	ErrLocked     = errors.New("locked")
	ErrFormat     = errors.New("the desk was made by an earlier version of this program")
	ErrDenied     = errors.New("this credential does not permit it")
	ErrNoBells    = errors.New("the store has no bells") // only a watch
	// ErrBadName means that [ValidID] or [ValidName] refuses an id or a name.
	ErrBadName = errors.New("not a name that the store takes")
	// ErrUncertain means that a document may have been created or not. The call may be
	// repeated with the same bytes, and finds out.
	ErrUncertain = errors.New("it is not certain yet whether this was stored")
	// ErrUnreachable means that a store elsewhere does not answer, and has changed nothing.
	ErrUnreachable = errors.New("the desk does not answer")
	// ErrUnsent means that an answer could not be sent to the home of its question, and is
	// queued on this machine. Until it is sent another may replace it.
	ErrUnsent = errors.New("not sent yet: the desk does not answer; the answer is kept here, and sent as soon as it does")
)

// ValidName reports whether a store takes the name for a lock or a mark: it is
// made of letters, digits and hyphens, and so a safe file name.
func ValidName(name string) bool {
	foreign := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-'
	}
	return name != "" && !strings.ContainsFunc(name, foreign)
}

// Admit returns the error of a store where ctx has ended or the name is not valid:
// [ValidID] or [ValidName] decide.
func Admit(ctx context.Context, name string, valid func(string) bool) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !valid(name):
		return fmt.Errorf("%q: %w", name, ErrBadName)
	}
	return nil
}

// Range is a stretch of ids: From and what comes after it, up to but without
// Before. An empty string is no limit.
type Range struct{ From, Before string }

// Has reports whether id lies in the range.
func (r Range) Has(id string) bool { return id >= r.From && (r.Before == "" || id < r.Before) }

// Store keeps the documents of the desk by kind and record id. Documents that are created
// are never changed; drafts and showing are replaced, whole. The suite desk/storetest tests
// this comment, and every store runs it.
//
// Reads are linearizable: a read sees what every call that returned before it began has
// done, and what any reader has seen, in whatever process. Only what changes during a
// listing may be missing from it. The proofs at Desk.get and Desk.decide need this.
//
// Every method ends with the cause of ctx when ctx has ended before.
type Store interface {
	// Create commits a document, pending or for the archive. When it returns nil, the
	// document survives the death of process and machine, and so do the marks of the
	// content of a pending one that were made before. No reader ever sees a part of it.
	// Where there is another document it fails with ErrExists: of several callers, in
	// whatever processes, one succeeds. Repeated with the same bytes it succeeds again.
	Create(ctx context.Context, kind Kind, id string, data []byte) error
	// Decide is Create for the outcome of a record. A store may check the role of the
	// caller against its credential.
	Decide(ctx context.Context, id string, role Role, data []byte) error
	// Put writes or replaces a document: a reader sees the one or the other, whole.
	// Drafts and showing survive the death of the process, not that of the machine. The
	// documents of a [Keeper] survive both.
	Put(ctx context.Context, kind Kind, id string, data []byte) error
	// Get returns a document. The error is ErrDamaged for one that cannot be ours, and
	// ErrUnreadable where none can be read.
	Get(ctx context.Context, kind Kind, id string) ([]byte, error)
	// Path returns the path of a document, for the user to look after it; empty where it is
	// no file of this machine.
	Path(kind Kind, id string) string
	// Delete removes a document, if there is one. The place of an outcome may stay taken
	// for a while: Decide fails with ErrExists then, and the record is in the archive.
	Delete(ctx context.Context, kind Kind, id string) error
	// List yields the ids of documents in a range, the newest first, and reads no further
	// than its caller. What was deleted a moment ago may be among them. An error is the
	// last that it yields.
	List(ctx context.Context, kind Kind, in Range) iter.Seq2[string, error]
	// PutFile commits the content of a file of an answer, beside its record, under its
	// [question.File.Key]. When it returns nil, the content survives the death of process
	// and machine, and no reader sees a part of it. It may be repeated.
	PutFile(ctx context.Context, id, key string, data []byte) error
	// GetFile returns a content; the error is as of Get. FilePath returns the path of one
	// on this machine, for an agent to read: what is kept elsewhere is copied.
	GetFile(ctx context.Context, id, key string) ([]byte, error)
	FilePath(ctx context.Context, id, key string) (string, error)
	// Files returns the keys of the contents beside a record, in no order. The error is
	// ErrNoFiles where the store can keep none.
	Files(ctx context.Context, id string) ([]string, error)
	// DeleteFile removes a content, if there is one.
	DeleteFile(ctx context.Context, id, key string) error
	// Mark puts an id into an index under a name, Unmark takes it out, Marks returns
	// those there, ascending. The marks of sessions, and of what was reopened, may be
	// removed when SessionKeep has passed since the last.
	Mark(ctx context.Context, mark Mark, name, id string) error
	Unmark(ctx context.Context, mark Mark, name, id string) error
	Marks(ctx context.Context, mark Mark, name string) ([]string, error)
	// Lock takes the lock of this name until release is called or the process
	// dies. It fails with ErrLocked when it is held, in whatever process.
	Lock(ctx context.Context, kind Kind, name string) (release func(), err error)
	// Locked reports whether the lock is held; Locks returns the names of those that are.
	Locked(ctx context.Context, kind Kind, name string) (bool, error)
	Locks(ctx context.Context, kind Kind) ([]string, error)
	// Bell calls look at once, and then whenever the outcome of a record may have been
	// decided, even by a process that was killed right after, or the store may have been
	// removed. It may call look without a reason. It returns nil when look returns true,
	// and ErrNoBells, before any look, where there is only Watch.
	Bell(ctx context.Context, id string, look func() bool) error
	// Watch sends every change that any process makes to the collections but the archive,
	// after it returned, in order, until ctx ends. The end of a lock whose process died may
	// be missing. The channel is closed when ctx ends, or earlier when what is watched is
	// removed: the caller watches anew and reads everything again.
	Watch(ctx context.Context) (<-chan Change, error)
}

// Merge yields the ids of two listings, each the newest first, as one. An id in both is
// yielded once. The first listing begins before the second.
func Merge(a, b iter.Seq2[string, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		next, stop := iter.Pull2(a)
		defer stop()
		id, err, more := next()
		// yieldFrom yields what a has down to an id, without that.
		yieldFrom := func(least string) bool {
			for more && (err != nil || id >= least) {
				if id != least && !yield(id, err) || err != nil {
					return false
				}
				id, err, more = next()
			}
			return true
		}
		for id, err := range b {
			if err == nil && !yieldFrom(id) || !yield(id, err) || err != nil {
				return
			}
		}
		yieldFrom("")
	}
}

// Change says that a document or lock came or went. The zero ID says that
// changes were missed and anything may have happened; Err, if set, says why.
type Change struct {
	Kind    Kind
	ID      string
	Removed bool
	Err     error
}

// SendChange sends a change, and reports whether it did before ctx ended.
func SendChange(ctx context.Context, to chan<- Change, c Change) bool {
	select {
	case to <- c:
		return true
	case <-ctx.Done():
		return false
	}
}

// Key names a document.
type Key struct {
	Kind Kind
	ID   string
}

// Document is what a store has under a key. Err is as of [Store.Get].
type Document struct {
	Data         []byte
	By           *Author // of an outcome; in the archive, of HumanOutcome
	HumanOutcome []byte  // of an archived record: as the store has taken it from a human
	Err          error
}

// Author is the writer of an outcome, as the store knows it from the credential: nil where
// the store knows no credentials, zero in the archive where no human wrote one.
type Author struct {
	Role Role
	Name string
	// Humans are as in [Rules], for an outcome that one of them must have signed.
	Humans map[string]string
}

// Rules are what the operator of a shared store has written there, and no other can.
type Rules struct {
	Humans map[string]string `json:"humans,omitempty"` // names by public key: each signs what they answer
	Since  string            `json:"since,omitempty"`  // older records, by their ids, need no signature of these
	Prove  Policy            `json:"prove,omitempty"`
	Signs  bool              `json:"-"` // the credential of this process is one of the humans'
}

// Signers returns the humans, one of whom must have signed what a human answered to a
// record; nil where that need not be signed.
func (r *Rules) Signers(id string) map[string]string {
	if len(r.Humans) == 0 || id < r.Since {
		return nil
	}
	return r.Humans
}

// Signer is a store in which humans sign with their credentials.
type Signer interface {
	// Rules returns those for a record, or for a new one where id is empty. With an
	// error they are as they were read last.
	Rules(ctx context.Context, id string) (Rules, error)
	// Keys returns the keys with which humans may sign what they answer to a record, by
	// their names; those of this process's human also under the empty name. Unless change is
	// nil it first changes those, perhaps in several attempts. It returns nil where the
	// record is not on a shared store.
	Keys(ctx context.Context, id string, change func(*proof.Keys) error) (map[string]proof.Keys, error)
	// Sign signs with the credential of this process. The key, public, is empty where
	// that is not a human's, or the record is not on a shared store.
	Sign(ctx context.Context, id string, sum []byte) (key string, signature []byte, err error)
}

// Reader is a store that reads several documents faster than with a Get for each, and may
// know their authors. Each document is one that a Get would have returned after those
// before it.
type Reader interface {
	Read(ctx context.Context, keys ...Key) []Document
}

// Entitled is a store whose credential may not permit to answer: MayAnswer returns an error
// that wraps ErrDenied then.
type Entitled interface {
	MayAnswer(ctx context.Context, id string) error
}

// Unmarker is a store that can prepare an Unmark: PrepareUnmark changes nothing, and unmark
// begins with the one system call that removes the mark, even if it changed meanwhile.
type Unmarker interface {
	PrepareUnmark(ctx context.Context, mark Mark, name, id string) (unmark func() error, err error)
}

// Keeper is a store with more than one home for its records. Place chooses the home of a
// new record, which keeps it.
type Keeper interface {
	Placer
	// Home returns the name of a record's home; empty for the usual one.
	Home(id string) string
	// LocalOutcome returns the outcome that this machine gave to a record and that is not
	// stored with it, nil where there is none, and whether it is queued to be sent.
	LocalOutcome(id string) (outcome []byte, queued bool)
	// Queue keeps an outcome, to be sent again, where it cannot be read whether another
	// was first. The error is ErrUnsent where it is kept.
	Queue(ctx context.Context, id string, outcome []byte) error
	// KeepStatement keeps a [Record.Statement] on this machine, and Statement returns it;
	// an empty one is none.
	KeepStatement(ctx context.Context, id, statement string)
	Statement(id string) string
}
