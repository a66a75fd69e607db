package desk

import "context"

// Kind is one of the collections of a store.
type Kind string

// The collections, named as their directories are.
const (
	KindPending Kind = "pending" // a record as it was asked, written once
	KindReplies Kind = "replies" // its outcome: that it exists is the decision
	KindArchive Kind = "archive" // record and outcome together, once both are known

	KindDrafts  Kind = "drafts"  // what a human is typing, replaced as it grows
	KindShowing Kind = "showing" // where a record is shown, replaced as it changes
	KindAskers  Kind = "askers"  // one lock per record that somebody waits for
)

// Mark is one of the indexes of a store: sets of record ids, by name.
type Mark string

// The indexes. They are hints: an id in one may belong to no record.
const (
	MarkContent  Mark = "content"  // records that ask the same, by digest
	MarkSessions Mark = "sessions" // records of a session
	MarkLifted   Mark = "lifted"   // sessions whose round limit is lifted, by one id each
)

// Store keeps the documents of the desk by kind and record id. The embedded
// one is desk/spool; a distributed engine may take its place. Documents that
// are created are never changed; drafts and showing are replaced, whole.
//
// A missing document is an error that wraps fs.ErrNotExist, one that cannot be
// ours (no file, too large) an error that wraps [ErrDamaged].
type Store interface {
	// Create commits a document. When it returns nil the document survives
	// the death of process and machine; no reader ever sees a part of it. If
	// there is one already it fails with fs.ErrExist: of several callers, in
	// whatever processes, one succeeds.
	Create(ctx context.Context, kind Kind, id string, data []byte) error
	// Put writes or replaces a document. It survives the death of the process,
	// not that of the machine.
	Put(ctx context.Context, kind Kind, id string, data []byte) error
	Get(ctx context.Context, kind Kind, id string) ([]byte, error)
	// Delete removes a document; that it is gone already is no error.
	Delete(ctx context.Context, kind Kind, id string) error
	// List returns the ids that start with prefix, ascending.
	List(ctx context.Context, kind Kind, prefix string) ([]string, error)
	// Mark puts an id into an index under a name, Unmark takes it out, Marks
	// returns those there, ascending. Names are safe file names.
	Mark(ctx context.Context, mark Mark, name, id string) error
	Unmark(ctx context.Context, mark Mark, name, id string) error
	Marks(ctx context.Context, mark Mark, name string) ([]string, error)
	// Lock takes the lock of this name until release is called or the process
	// dies. It fails with ErrLocked when somebody has it, in whatever process.
	Lock(ctx context.Context, kind Kind, name string) (release func(), err error)
	// Locked reports whether somebody has the lock; Locks returns the names of
	// those that somebody has.
	Locked(ctx context.Context, kind Kind, name string) (bool, error)
	Locks(ctx context.Context, kind Kind) ([]string, error)
	// Bell rings, until stop is called, whenever the reply to a record may have
	// been created, by any process, after it returned, even by one that was
	// killed before it could say so. It may ring for nothing. The channel is
	// closed when it can ring no more. Where a store has no bells the error is
	// errors.ErrUnsupported: then there is only Watch.
	Bell(ctx context.Context, id string) (rings <-chan struct{}, stop func(), err error)
	// Watch tells of every change of the collections but the archive that
	// is made, by any process, after it returned, in order, until ctx ends.
	// The channel is closed then, or earlier when what it watched is gone:
	// the caller watches anew and looks at everything again.
	Watch(ctx context.Context) (<-chan Change, error)
}

// Change says that a document was created or removed. The zero ID says that
// changes were missed and anything may have happened; Err, if set, says why.
type Change struct {
	Kind    Kind
	ID      string
	Removed bool
	Err     error
}
