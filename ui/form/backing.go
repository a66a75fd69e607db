package form

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Backing is the desk behind a form for one record. Without a desk nothing is kept and
// nothing known. Errors of reading are none of the form's: it does without.
type Backing struct {
	Desk *desk.Desk // nil: there is none
	Rec  desk.Record
	// SSHKey is the file of the key that signs answers; empty for none.
	SSHKey string
}

// Signs reports whether the user must sign an answer.
func (b Backing) Signs() bool { return b.Desk != nil && b.Desk.RequiresProof(&b.Rec) }

// Sign has the user sign a reply with their SSH key. It asks on the controlling terminal.
// Its error is a sentence for the user.
func (b Backing) Sign(ctx context.Context, r *question.Reply) error {
	if b.SSHKey == "" {
		return errors.New(words.T("this answer must be signed: name your SSH key with proof_ssh_key, or use a passkey on the page (mcp-askuser web --open)"))
	}
	statement, err := b.Rec.ProofStatement(*r, time.Now().UTC())
	if err != nil {
		return err
	}
	if r.Proof, err = proof.SignSSH(ctx, b.SSHKey, words.T("Signing your answer with %s …", b.keyName()), statement); err != nil {
		return fmt.Errorf(words.T("it was not signed: %w"), err)
	}
	return nil
}

// Signing tells the user, before they answer, that the answer is signed, and where if not
// here; empty where the record needs no proof.
func (b Backing) Signing() string { return b.signing().full }

func (b Backing) signing() remark {
	switch {
	case !b.Signs():
		return remark{}
	case b.SSHKey == "":
		return remark{words.T("This answer must be signed, on the page: mcp-askuser web --open"), words.T("Sign it on the page: mcp-askuser web")}
	}
	return remark{words.T("Sending signs your answer with %s.", b.keyName()), words.T("Sending signs your answer.")}
}

// keyName is the file of the key, below ~ where it is in the home directory.
func (b Backing) keyName() string {
	home, err := os.UserHomeDir()
	if rest, below := strings.CutPrefix(b.SSHKey, home+string(filepath.Separator)); err == nil && below {
		return question.Line(filepath.Join("~", rest))
	}
	return question.Line(b.SSHKey)
}

// Attach keeps the file with a path for an answer. Its error is a sentence for the user.
func (b Backing) Attach(ctx context.Context, path string) (f question.File, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return f, err
	}
	if !info.Mode().IsRegular() { // opening others may block
		return f, errors.New(words.T("%s is not a file.", path))
	}
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer file.Close()
	f, err = b.Desk.AttachFile(ctx, b.Rec.ID, filepath.Base(path), file)
	if faults, refused := errors.AsType[question.Violations](err); refused {
		err = errors.New(faults[0].In(words.T))
	}
	return f, err
}

// Draft returns what was typed before, empty where nothing is kept.
func (b Backing) Draft(ctx context.Context) (r question.Reply) {
	if b.Desk != nil {
		r, _, _ = b.Desk.Draft(ctx, b.Rec.ID)
	}
	return r
}

// Save keeps what was typed, also when ctx has ended. That the record has ended is no
// error.
func (b Backing) Save(ctx context.Context, r question.Reply) error {
	if b.Desk == nil {
		return nil
	}
	err := b.Desk.SaveDraft(context.WithoutCancel(ctx), b.Rec.ID, r)
	if errors.As(err, new(*desk.ClosedError)) {
		return nil
	}
	return err
}

// Deadline returns when the timeout strikes, the zero time for never.
func (b Backing) Deadline(ctx context.Context) (at time.Time) {
	if b.Desk != nil {
		at, _ = b.Desk.Deadline(ctx, b.Rec)
	}
	return at
}

// Attended reports whether the asker waits for the answer, as far as is known.
func (b Backing) Attended(ctx context.Context) bool {
	if b.Desk == nil {
		return true
	}
	rec, err := b.Desk.Get(ctx, b.Rec.ID)
	return err != nil || rec.Attended
}

// More returns how many other questions of the same asker wait.
func (b Backing) More(ctx context.Context) int {
	if b.Desk == nil {
		return 0
	}
	n := 0
	pending, _ := b.Desk.Pending(ctx)
	for _, rec := range pending {
		if rec.ID != b.Rec.ID && rec.Attended && rec.SessionID == b.Rec.SessionID &&
			rec.Asker.Client == b.Rec.Asker.Client && rec.Asker.Directory == b.Rec.Asker.Directory {
			n++
		}
	}
	return n
}

// AtLimit reports whether this round is the last before the limit.
func (b Backing) AtLimit(ctx context.Context) bool {
	if b.Desk == nil {
		return false
	}
	last, err := b.Desk.AtLimit(ctx, b.Rec.SessionID)
	return err == nil && last
}

// Lift lifts the round limit for the session.
func (b Backing) Lift(ctx context.Context) error { return b.Desk.Lift(ctx, b.Rec.SessionID) }

// Remembers reports whether there are earlier rounds to look at.
func (b Backing) Remembers() bool {
	return b.Desk != nil && b.Rec.SessionID != "" && b.Rec.Round > 1
}

// Rounds returns the records of the session, as far as they can be had.
func (b Backing) Rounds(ctx context.Context) []desk.Record {
	rounds, _ := b.Desk.Session(ctx, b.Rec.SessionID)
	return rounds
}

// Memory returns how the human answered the questions before, by question id.
func (b Backing) Memory(ctx context.Context) map[string]desk.Memory {
	if b.Desk == nil {
		return nil
	}
	return b.Desk.Remembered(ctx, b.Rec)
}

// Options are what the form gets from the desk, which is read for them; keep
// takes the drafts.
func (b Backing) Options(ctx context.Context, draft *Draft) (o Options) {
	if b.Desk == nil {
		return o
	}
	unsaved, _ := draft.Unsaved() // first: what is saved meanwhile is read from the desk
	o.Draft, o.Keep, o.Memory = b.Draft(ctx), draft, b.Memory(ctx)
	if unsaved != nil {
		o.Draft = *unsaved
	}
	if o.signing = b.signing(); b.Signs() {
		o.Sign = b.Sign
	}
	if b.Rec.TakesFiles() {
		o.Attach = func(path string) (question.File, error) { return b.Attach(ctx, path) }
	}
	o.Rounds = func() []desk.Record { return b.Rounds(ctx) }
	if b.AtLimit(ctx) {
		o.Lift = func() error { return b.Lift(ctx) }
	}
	return o
}
