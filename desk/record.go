package desk

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// Status is the state of a record: pending, or how it ended. The words are
// the same for models, programs and the store.
type Status string

// The states of a record.
const (
	Pending     Status = "pending"     // still open
	Answered    Status = "answered"    // the human answered
	Dismissed   Status = "dismissed"   // the human closed it without an answer
	Discuss     Status = "discuss"     // the human wants to talk about it first; what is answered so far goes along
	Cancelled   Status = "cancelled"   // the asker withdrew it
	Timeout     Status = "timeout"     // no answer in time
	Unavailable Status = "unavailable" // no human could be reached
	Failed      Status = "failed"      // something broke; the log says what
)

// Asker says who asked. Its texts come from outside: they are hostile
// until passed through question.Line.
type Asker struct {
	Client    string `json:"client"`              // the program's name, as it calls itself
	Version   string `json:"version,omitempty"`   // its version
	Directory string `json:"directory,omitempty"` // the project it works in, absolute
	Via       string `json:"via"`                 // mcp, shell, http, hook or permission
	Agent     string `json:"agent,omitempty"`     // who it is, by the token it showed; empty where none is needed
	PID       int    `json:"pid,omitempty"`       // the process that had it asked: the host, the shell; 0 where unknown
	Machine   string `json:"machine,omitempty"`   // where PID means anything: this machine, since it was started
	// Credential is the name of the credential on a shared desk, as its server knows it: no claim of the asker's.
	Credential string `json:"credential,omitempty"`
}

// The Via of a shell command, and those of a host whose own dialog asks: the desk
// mirrors that, see [Desk.Mirror].
const (
	ViaShell      = "shell"
	ViaHook       = "hook"
	ViaPermission = "permission" // it asks whether its agent may do something
)

// Mirrored reports whether the host shows the question in a dialog of its own too.
func (a Asker) Mirrored() bool { return a.Via == ViaHook || a.Permission() }

// project is the directory of the asker without what makes no difference; empty where it is
// unknown.
func (a Asker) project() string {
	if a.Directory == "" {
		return ""
	}
	return filepath.Clean(a.Directory)
}

// Permission reports whether a host asks for its agent's permission to do
// something. Only a human may give that.
func (a Asker) Permission() bool { return a.Via == ViaPermission }

// Record is a question set, who asked it, and what became of it.
type Record struct {
	ID        string    `json:"id"`
	SessionID string    `json:"session_id,omitempty"` // groups the rounds of one dialogue
	Round     int       `json:"round"`                // 1 for the first of a session
	Rounds    int       `json:"rounds,omitempty"`     // as many as the asker says there will be; 0 where it does not
	NearLimit bool      `json:"near_limit,omitempty"` // after this round two or fewer are left in a row
	LastRound bool      `json:"last_round,omitempty"` // the next is refused
	Asker     Asker     `json:"asker"`
	State     Status    `json:"state"`
	CreatedAt time.Time `json:"created_at"`
	question.Set
	// ToolUse is the id of the tool call in the agent's own transcript; empty where the
	// call brings none.
	ToolUse string `json:"tool_use_id,omitempty"`
	// Timeout is how many seconds the human may take from the question or the
	// last sign of work on it; 0 is for ever. OnTimeout is "default" where the
	// caller gets the declared defaults then.
	Timeout   float64 `json:"timeout_seconds,omitempty"`
	OnTimeout string  `json:"on_timeout,omitempty"`
	Prove     bool    `json:"prove,omitempty"`        // its answer needs a proof
	Keep      float64 `json:"keep_seconds,omitempty"` // how long it is kept while no asker waits for it
	Row       string  `json:"row,omitempty"`          // see [Request.Row]; empty where it is the session
	// Earlier is the record that this one goes back to; see [Desk.Reopen].
	Earlier string `json:"earlier,omitempty"`
	// Content tells records that ask the same, for the same project and client; see [Request.Content].
	Content string   `json:"content,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"` // nil while pending
	// Later is a reply that was given here and does not count, as the host took another in its
	// own dialog: see [Desk.Settle].
	Later *Outcome `json:"later,omitempty"`

	// What follows is known of a pending record when it is read, and not kept.

	Attended bool      `json:"attended"`           // an asker waits for the answer right now
	ShownOn  []Showing `json:"shown_on,omitempty"` // where it was tried, and is shown
	Home     string    `json:"home,omitempty"`     // the shared desk that keeps it; empty for this machine
	Worked   time.Time `json:"-"`                  // the last time, by the clock of that machine; zero for never
	Drafted  bool      `json:"-"`                  // something that was typed for it is kept: see [Desk.Draft]
}

// Alike is the same for the records of any askers that ask the same questions: one answer can
// serve all of these records. It is empty for a confirmation and a permission, each of which
// takes an answer of its own.
func (rec *Record) Alike() string {
	if rec.Confirms() || rec.Asker.Permission() {
		return ""
	}
	return rec.Set.Fingerprint()
}

// Reply is what the human did with the record; nil where no human ended it.
func (rec *Record) Reply() *question.Reply {
	if rec.Outcome == nil {
		return nil
	}
	return rec.Outcome.Reply
}

// Responses returns every question of the record, in order, with what became
// of it.
func (rec *Record) Responses() []question.Response { return rec.Set.Responses(rec.Reply()) }

// Asked returns the questions that the human was asked, in order, with what
// became of each.
func (rec *Record) Asked() []question.Response { return rec.Set.Asked(rec.Reply()) }

// OnTimeoutDefault is the OnTimeout of a caller that wants the declared defaults
// when there is no answer in time.
const OnTimeoutDefault = "default"

// Showing is a surface that was tried for a record: it shows it, or Why says
// why it could not reach the human.
type Showing struct {
	Surface string `json:"surface"`
	Why     string `json:"why,omitempty"`
}

// Outcome is how a record ended.
type Outcome struct {
	ID      string          `json:"id"`                // its own, random: no two outcomes are the same
	Status  Status          `json:"status"`            // never Pending
	Reply   *question.Reply `json:"reply,omitempty"`   // with Answered, Dismissed and Discuss
	Reason  string          `json:"reason,omitempty"`  // with the others: one sentence
	Surface string          `json:"surface,omitempty"` // its name, or "timeout"
	Unseen  bool            `json:"unseen,omitempty"`  // without a reply, and shown on no surface
	At      time.Time       `json:"at"`
	// With a reply: what gave it, as [Desk.Answerer] has decided, and how many
	// milliseconds the human had the questions in front of them; 0 is unknown.
	Answerer *Answerer       `json:"answerer,omitempty"`
	Took     int64           `json:"took_ms,omitempty"`
	Proof    *question.Proof `json:"proof,omitempty"` // At is its time
	// Credential is the signature of the human's credential, on a shared desk.
	Credential *question.Proof `json:"credential,omitempty"`
	// Provisional says that the reply is the user's, and that it is not known yet
	// whether the host took it before an answer in its own dialog.
	Provisional bool `json:"provisional,omitempty"`
}

// Errors of the store, as the desk returns them.
var (
	ErrNotFound    = store.ErrNotFound
	ErrAttended    = store.ErrAttended // another asker waits for the record
	ErrDamaged     = store.ErrDamaged
	ErrNewer       = store.ErrNewer // no answer can come as long as this process lives
	ErrUnreachable = store.ErrUnreachable
	ErrDenied      = store.ErrDenied
	// ErrLost means that a question was removed while it was waited for, with its store or
	// alone. No answer to it can come.
	ErrLost = store.ErrLost
)

// Errors of the desk.
var (
	// ErrAmbiguous means that a shortened id fits more than one record.
	ErrAmbiguous = errors.New("fits more than one question")
	// ErrPending means that a record has not ended yet.
	ErrPending = errors.New("the question is still open")
	// ErrUnsent means that the shared desk does not answer. The reply is kept as a draft.
	ErrUnsent = errors.New("not sent: the shared desk does not answer; your answer is kept as a draft")
	// ErrNoSession means that a session has asked nothing.
	ErrNoSession = errors.New("no such session")
	// ErrForeignSession means that another client began a session, or the same
	// for another project.
	ErrForeignSession = errors.New("is a session of another client or project")
)

// ClosedError tells a late answerer that the record had already ended, and
// how.
type ClosedError struct {
	ID      string
	Outcome Outcome
}

func (e *ClosedError) Error() string {
	where := ""
	if a := e.Outcome.Answerer; a != nil && a.Name != "" {
		where = " by " + a.Name
	}
	if e.Outcome.Surface != "" {
		where += " (" + e.Outcome.Surface + ")"
	}
	how := cmp.Or(map[Status]string{
		Discuss: "put back to be discussed", Timeout: "closed as its time was up",
		Unavailable: "closed as nobody could be reached", Failed: "closed by a failure",
	}[e.Outcome.Status], string(e.Outcome.Status))
	return fmt.Sprintf("the question was already %s%s at %s", how, where, e.Outcome.At.Local().Format(time.TimeOnly))
}
