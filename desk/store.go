package desk

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
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

// Errors of a store. A store returns them, or errors that wrap them; what else
// it returns is a failure, and says what its owner can do about it.
var (
	// ErrExists means that there is another document of this id already.
	ErrExists = errors.New("is there already")
	// ErrNotFound means that there is no such document, and so no such record.
	ErrNotFound = errors.New("no such question")
	// ErrUncertain means that it is not known yet whether a document was
	// created. To repeat the call with the same bytes is safe, and finds out.
	ErrUncertain = errors.New("it is not certain yet whether this was stored")
	// ErrDamaged means that a document in the store is not one of ours.
	ErrDamaged = errors.New("damaged document in the store (mend it, or move it away)")
	// ErrUnreadable means that the store exists and cannot be read, until its user mends
	// that.
	ErrUnreadable = errors.New("the store cannot be read")
	// ErrLocked means that a lock is taken.
	ErrLocked = errors.New("locked")
	// ErrUnreachable means that a store elsewhere does not answer. What was to be
	// done is not done; it may be tried again.
	ErrUnreachable = errors.New("the desk does not answer")
	// ErrUnsent means that an answer could not be sent to where its question is,
	// and is kept here until it can. It may be given anew till then.
	ErrUnsent = errors.New("not sent yet: the desk does not answer; the answer is kept here, and sent as soon as it does")
	// ErrFormat means that what is stored there is of another version's making.
	ErrFormat = errors.New("the desk was made by an earlier version of this program")
	// ErrDenied means that the credential may not do this.
	ErrDenied = errors.New("this credential does not permit it")
	// ErrNoBells means that the store has no bells, only a watch.
	ErrNoBells = errors.New("the store has no bells")
	// ErrBadName means that an id or a name is not one that a store takes:
	// see [ValidID] and [ValidName].
	ErrBadName = errors.New("not a name that the store takes")
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

// Store keeps the documents of the desk by kind and record id. The embedded
// one is desk/spool; a distributed engine may take its place. Documents that
// are created are never changed; drafts and showing are replaced, whole. The
// suite desk/storetest says the same as this comment, and every store runs it.
//
// Reads are linearizable: what a call has done when it returns, and what any
// reader has seen, is seen by every read that begins afterwards, in whatever
// process. Only what changes during a listing may be missing from it.
// The proofs at Desk.get and Desk.decide rest on this.
//
// Every method ends with the cause of ctx when ctx has ended before.
type Store interface {
	// Create commits a document, pending or for the archive. When it returns
	// nil the document survives the death of process and machine, and with one
	// that is pending the marks of its content that were made before; no reader
	// ever sees a part of it. If there is another one already it fails with
	// ErrExists: of several callers, in whatever processes, one succeeds.
	// Repeated with the bytes that are there it succeeds again.
	Create(ctx context.Context, kind Kind, id string, data []byte) error
	// Decide is Create for the outcome of a record, in the role of the caller,
	// which a store may hold against what the caller is allowed.
	Decide(ctx context.Context, id string, role Role, data []byte) error
	// Put writes or replaces a document: a reader sees the one or the other, whole.
	// A draft, or where a record is shown, survives the death of the process, not
	// that of the machine. A document of a [Keeper] survives both.
	Put(ctx context.Context, kind Kind, id string, data []byte) error
	// Get returns a document. ErrDamaged is what cannot be ours: too large, or
	// no document at all; ErrUnreadable says that none can be read.
	Get(ctx context.Context, kind Kind, id string) ([]byte, error)
	// Delete removes a document; that it is gone already is no error. The place of
	// an outcome may stay taken for a while: then who decides again hears
	// ErrExists, and finds the record in the archive.
	Delete(ctx context.Context, kind Kind, id string) error
	// List yields the ids of documents in a range, the newest first, and looks
	// no further than it is asked for. What was deleted a moment ago may still be
	// among them. An error is the last that it yields.
	List(ctx context.Context, kind Kind, in Range) iter.Seq2[string, error]
	// Mark puts an id into an index under a name, Unmark takes it out, Marks
	// returns those there, ascending. The marks of sessions, and of
	// what was reopened, may go when SessionKeep has passed since the last.
	Mark(ctx context.Context, mark Mark, name, id string) error
	Unmark(ctx context.Context, mark Mark, name, id string) error
	Marks(ctx context.Context, mark Mark, name string) ([]string, error)
	// Lock takes the lock of this name until release is called or the process
	// dies. It fails with ErrLocked when it is held, in whatever process.
	Lock(ctx context.Context, kind Kind, name string) (release func(), err error)
	// Locked reports whether the lock is held; Locks returns the names of those that are.
	Locked(ctx context.Context, kind Kind, name string) (bool, error)
	Locks(ctx context.Context, kind Kind) ([]string, error)
	// Bell calls look, at once and then whenever the outcome of a record may
	// have been decided since, by any process, even by one that was killed
	// before it could say so, or the store may have gone; it may call it for nothing.
	// It returns nil when look is true. The error may be ErrNoBells, before any look: then there is
	// only Watch.
	Bell(ctx context.Context, id string, look func() bool) error
	// Watch tells of every change that is made to the collections but the
	// archive, by any process, after it returned, in order, until ctx ends. Of
	// locks it may tell the ends of those whose processes died, or not. The
	// channel is closed when ctx ends, or earlier when what it watched is
	// gone: the caller watches anew and looks at everything again.
	Watch(ctx context.Context) (<-chan Change, error)
}

// Change says that a document or lock came or went. The zero ID says that
// changes were missed and anything may have happened; Err, if set, says why.
type Change struct {
	Kind    Kind
	ID      string
	Removed bool
	Err     error
}

// Tell sends a change, and reports whether it did before ctx ended.
func Tell(ctx context.Context, to chan<- Change, c Change) bool {
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
	Data []byte
	By   *Author // of an outcome; in the archive of what the human said, see Said
	Said []byte  // of an archived record: the outcome of a human, as the store has taken it
	Err  error
}

// Author is who wrote an outcome, as the store knows it from their credential,
// whatever the document says: nil where the store knows no credentials, zero in
// the archive where no human wrote one.
type Author struct {
	Role Role
	Name string
}

// Reader is a store with a quicker way to several documents than a Get for
// each, and which may know who wrote them. Each is what a Get would have
// returned that began after those before it had returned.
type Reader interface {
	Read(ctx context.Context, keys ...Key) []Document
}

// Entitled is a store whose credential may not permit to answer. MayAnswer
// returns an error that wraps ErrDenied then.
type Entitled interface {
	MayAnswer(ctx context.Context, id string) error
}

// Unmarker is a store in which [Store.Unmark] has steps that can be taken
// beforehand. PrepareUnmark takes them and changes nothing; unmark does the rest,
// and begins with the one system call that takes the mark out. A mark that changed
// meanwhile is taken out all the same.
type Unmarker interface {
	PrepareUnmark(ctx context.Context, mark Mark, name, id string) (unmark func() error, err error)
}

// Filer is a store whose documents are files. Path is where one is, or would be,
// for the human who looks after it; empty where it is no file.
type Filer interface {
	Path(kind Kind, id string) string
}

// Keeper is a store that has more than one home for its records. Place chooses
// that of a new one, which the record keeps; Home names it, empty where it is the usual
// one. Given returns the outcome that was given to the record here and not stored
// there, nil where there is none, and whether it is queued to be sent: another
// came too late, or was not taken.
//
// Queue keeps an outcome that was stored while it could not be read whether another
// was first. It is sent again later. The error is ErrUnsent where it is kept.
//
// KeepStatement keeps on this machine what was asked, a [Record.Statement], and
// Statement returns it: empty for a record that nothing is known of, and after it
// was kept empty.
type Keeper interface {
	Placer
	Queue(ctx context.Context, id string, outcome []byte) error
	Home(id string) string
	Given(id string) (outcome []byte, queued bool)
	KeepStatement(ctx context.Context, id, statement string)
	Statement(id string) string
}
