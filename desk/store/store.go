// Package store is the contract between the desk and what keeps its records. A store knows
// rows: which exist, which process waits for one, and which outcome was first. What a
// question, an answer or an answerer is, only the desk knows: it imports this package, and
// a store must not import the desk. The suite in storetest tests the comments here, and
// every store runs it.
package store

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Errors of a store. A store returns them, or errors that wrap them. Any other error is a
// failure, and says what the user can do about it.
var (
	ErrNotFound = errors.New("no such question")
	// ErrAnswered means that a row has an outcome already.
	ErrAnswered = errors.New("the question was already answered")
	// ErrAttended means that another process, or another call of this one, waits for a row.
	ErrAttended = errors.New("another call waits for the answer")
	// ErrReopened means that a row goes back to an earlier one, as another open row does.
	ErrReopened = errors.New("the question is open again already")
	// ErrDamaged means that a row, or the whole store, cannot be read.
	ErrDamaged = errors.New("the store is damaged")
	// ErrNewer means that a newer version has made the store, or brought it up to date.
	ErrNewer = errors.New("is of a newer version of mcp-askuser: install that, and start it anew")
	// ErrLost means that the store was removed or replaced while a row was waited for.
	ErrLost = errors.New("the question was lost while it waited: its store was removed")
	// ErrUnreachable means that a store elsewhere does not answer. Where a write ended with
	// it, the write may have happened; repeated with the same bytes it succeeds then.
	ErrUnreachable = errors.New("the desk does not answer")
	// ErrDenied means that the credential of this process does not permit a call.
	ErrDenied = errors.New("this credential does not permit it")
	// ErrTooMany means that a row has as many files as it may have.
	ErrTooMany = errors.New("the question has too many files")
	// ErrUnsupported means that a store keeps no files, or cannot be pruned.
	ErrUnsupported = errors.New("a shared desk cannot do this")
)

// Row is a record as a store keeps it. Times are kept to the millisecond.
type Row struct {
	ID      string `json:"id"`
	Session string `json:"session,omitempty"` // groups the rounds of one dialogue; may be empty
	Run     string `json:"run,omitempty"`     // groups the rounds that count as in a row; may be empty
	Project string `json:"project,omitempty"` // the directory that the asker works in; may be empty
	Earlier string `json:"earlier,omitempty"` // the row that this one goes back to; empty for none
	// Content is the same for rows that ask the same for the same asker. Empty: the row is
	// like no other.
	Content string        `json:"content,omitempty"`
	Text    string        `json:"text,omitempty"` // what a search looks through, in lower case
	At      time.Time     `json:"at"`
	Keep    time.Duration `json:"keep"`              // for how long a row without a waiting asker is of use
	Asked   []byte        `json:"asked"`             // what is asked, in the desk's words
	Outcome []byte        `json:"outcome,omitempty"` // how it ended; nil while it is open

	// What follows is set by the store alone.

	Home      string        `json:"-"` // the name of the shared desk that keeps it; empty for this machine
	Owner     string        `json:"-"` // on a shared desk, the name of the credential that asked
	Human     string        `json:"-"` // on a shared desk, the human whose credential stored the outcome, if any
	Attended  bool          `json:"-"` // a living process waits for it
	Delivered bool          `json:"-"` // its asker has received its outcome
	Notes     [Notes][]byte `json:"-"` // see [Store.Note]
	Revision  Revision      `json:"-"`
}

// Revision tells how far a reader has read: each change of any row raises it.
type Revision struct {
	Own int64 // of the store of this machine
	Far int64 // of a shared desk
}

// Max returns how far two readers have read together.
func (r Revision) Max(o Revision) Revision { return Revision{max(r.Own, o.Own), max(r.Far, o.Far)} }

// Note is one of the values beside a row.
type Note int

// The notes.
const (
	Draft  Note = iota // what the user has typed so far
	Shown              // where an open row was tried and is shown
	Later              // what the host reports that shows the question, too
	Lifted             // the count of rounds begins anew after the row
	Notes              // how many there are
)

// String returns the name of a note.
func (n Note) String() string { return [Notes]string{"draft", "shown", "later", "lifted"}[n] }

// Ending is how a row ends.
type Ending struct {
	Outcome []byte `json:"outcome"`
	Text    string `json:"text,omitempty"` // replaces that of the row
}

// Query selects rows. A zero field selects all.
type Query struct {
	Open, Ended                             bool // without, or with, an outcome
	Session, Run, Project, Earlier, Content string
	IDs                                     []string  // the id is one of them
	Prefix                                  string    // what an id begins with
	Search                                  []string  // in lower case: one of them is a part of [Row.Text]
	Since, Before                           time.Time // asked at or after Since, and before Before
	// Touched selects rows that were asked, or got a draft or an outcome, at or after this time.
	Touched time.Time
	// Kept selects rows that Ask may take over at this time: not delivered, and of use still.
	Kept time.Time
	// After selects rows that changed after a revision, of each store in the order of their
	// changes, all of them.
	After  Revision
	Ascend bool // the first asked first, else the last
	Limit  int  // at most so many; 0 is all
}

// Store keeps rows for the processes of one user, or of several. It is safe for concurrent
// use by any number of goroutines and processes. A write that has returned nil survives the
// death of the process and of the machine; a reader sees all of it or nothing, and nothing
// before it is committed. Every method ends with the cause of ctx when ctx has ended.
type Store interface {
	// Ask stores a row, for which this process waits then. A row that has an outcome is
	// stored as delivered: nothing waits for it. Where a row has the same content,
	// was not delivered, is kept still and has no living process that waits, the caller
	// receives that one instead, perhaps with its outcome; not for a row that goes back to another.
	Ask(ctx context.Context, row Row) (Row, error)
	// Attend makes this process the one that waits for a row. The error is ErrAttended
	// while another does.
	Attend(ctx context.Context, id string) (Row, error)
	// Release ends what Ask and Attend began. Repeated, it does nothing.
	Release(ctx context.Context, id string) error
	// Answer ends an open row: of several callers, in whatever processes, the first. The
	// others receive ErrAnswered, and [Store.Get] has the first outcome. Its Keep begins anew.
	Answer(ctx context.Context, id string, end Ending) error
	// Delivered notes that the asker has received the outcome. It releases the row.
	Delivered(ctx context.Context, id string) error
	// Note changes one of the values beside a row, in one step. A draft, and where it is
	// shown, change only while the row is open: else the error is ErrAnswered. The function
	// receives nil where there is no value; its error ends the call.
	Note(ctx context.Context, id string, note Note, change func(old []byte) ([]byte, error)) error

	Get(ctx context.Context, id string) (Row, error)
	// Rows yields rows, the last asked first. A row that cannot be read is an error, never
	// left out. An error is the last that is yielded.
	Rows(ctx context.Context, q Query) iter.Seq2[Row, error]
	// Wait returns a row once it has an outcome. The error wraps ErrLost where the store was
	// removed meanwhile, at the latest a minute later.
	Wait(ctx context.Context, id string) (Row, error)
	// Revision returns the last one: what changes later has a greater one.
	Revision(ctx context.Context) (Revision, error)
	// Changes sends after changes that any process makes, and now and then without one, until
	// ctx ends: then the channel is closed. It never says what has changed. The name is that
	// of an inbox or a page, which is open as long; empty for another watcher.
	Changes(ctx context.Context, name string) (<-chan struct{}, error)
	// Present returns the names of the inboxes and pages that are open and list a row, or any row
	// where the id is empty: each once, in order. One ends with its process. Where a shared desk
	// does not answer, the error wraps ErrUnreachable, beside the names that are known.
	Present(ctx context.Context, id string) ([]string, error)

	// PutFile keeps the content of a file beside a row, which has at most so many: the error
	// is ErrTooMany for another one. File returns it.
	PutFile(ctx context.Context, id, key string, data []byte, most int) error
	File(ctx context.Context, id, key string) ([]byte, error)

	// Prune removes rows that were asked before a time, have ended, and were delivered or
	// are kept no longer; not one that an open row goes back to. It returns how many; dry, it
	// only counts.
	Prune(ctx context.Context, before time.Time, dry bool) (int, error)
}

// Collect returns rows, or what was made of them, and those before an error with it.
func Collect[T any](all iter.Seq2[T, error]) (found []T, err error) {
	for one, err := range all {
		if err != nil {
			return found, err
		}
		found = append(found, one)
	}
	return found, nil
}

// Wake sends to a channel of capacity 1, unless it has a token already.
func Wake(watcher chan<- struct{}) {
	select {
	case watcher <- struct{}{}:
	default:
	}
}
