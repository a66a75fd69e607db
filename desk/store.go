package desk

import "context"

// Kind is one of the collections of a store.
type Kind string

// The collections, named as their directories are.
const (
	KindPending Kind = "pending" // a record as it was asked, written once
	KindReplies Kind = "replies" // its outcome: that it exists is the decision
	KindArchive Kind = "archive" // record and outcome together, once both are known
)

// Store keeps the documents of the desk by kind and record id. The embedded
// one is desk/spool; a distributed engine may take its place. Every document
// is written once, whole, and never changed.
//
// A missing document is an error that wraps fs.ErrNotExist, one that cannot be
// ours (no file, too large) an error that wraps [ErrDamaged].
type Store interface {
	// Create commits a document. When it returns nil the document survives
	// the death of process and machine; no reader ever sees a part of it. If
	// there is one already it fails with fs.ErrExist: of several callers, in
	// whatever processes, one succeeds.
	Create(ctx context.Context, kind Kind, id string, data []byte) error
	Get(ctx context.Context, kind Kind, id string) ([]byte, error)
	// Delete removes a document; that it is gone already is no error.
	Delete(ctx context.Context, kind Kind, id string) error
	// List returns the ids that start with prefix, ascending.
	List(ctx context.Context, kind Kind, prefix string) ([]string, error)
	// Watch tells of every change of the pending and replies collections that
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
