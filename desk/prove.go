package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
)

// A record may require proof: a signature of the user's over what they read and answered
// (see package proof). The desk takes no answer to such a record without one, and delivers
// none.

// Policy says which records require proof, beyond those whose asker wants it.
type Policy string

// The policies, each beside those before it.
const (
	ProveNone        Policy = "none"
	ProveConfirm     Policy = "confirm"     // confirmations
	ProvePermissions Policy = "permissions" // and permissions
	ProveAll         Policy = "all"
)

// Policies returns all policies, the weakest first.
func Policies() []Policy { return []Policy{ProveNone, ProveConfirm, ProvePermissions, ProveAll} }

// Stricter returns the stricter of two policies.
func (p Policy) Stricter(q Policy) Policy {
	return Policies()[max(0, slices.Index(Policies(), p), slices.Index(Policies(), q))]
}

func (p Policy) covers(rec *Record) bool {
	switch p {
	case ProveAll:
		return true
	case ProvePermissions:
		return rec.Set.Confirms() || rec.Asker.Permission()
	case ProveConfirm:
		return rec.Set.Confirms()
	case ProveNone:
	}
	return false
}

// ErrProofRequired means that an answer needs a proof, and has none that counts. The
// question stays open.
var ErrProofRequired = errors.New("this answer must be signed by the user: with a passkey on the page (mcp-askuser web), or with an SSH key in a terminal")

// maxProofAge is how long before it reaches the desk an answer may have been signed.
const maxProofAge = 10 * time.Minute

// RequiresProof reports whether an answer to a record needs a proof: its asker says so, or
// the policy here.
func (d *Desk) RequiresProof(rec *Record) bool { return rec.Prove || d.prove.covers(rec) }

// require has a request ask for what the policy here requires: an agent can ask for more,
// and never for less.
func (d *Desk) require(r *Request) {
	rec := r.record()
	r.Prove = d.RequiresProof(&rec)
}

// ProofStatement returns what a user signs who answers a record with r at a time, which
// is rounded as the store keeps it. The error is a question.Violations.
func (rec *Record) ProofStatement(r question.Reply, at time.Time) (proof.Statement, error) {
	attribute(&r, &Answerer{Kind: UserAnswerer})
	checked, err := rec.Check(r)
	return rec.proofStatement(&checked, at), err
}

func (rec *Record) proofStatement(r *question.Reply, at time.Time) proof.Statement {
	by := rec.Asker
	return proof.Statement{
		ID: rec.ID, Questions: rec.Questions, Reply: *r, At: at.Round(0),
		Asker: proof.Asker{Client: by.Client, Directory: by.Directory, Agent: by.Agent, Session: rec.SessionID},
	}
}

// VerifyProof checks the proof of an ended record against trusted keys. The error is a
// sentence for the user.
func (rec *Record) VerifyProof(keys *proof.Keys) error {
	if rec.Outcome == nil || rec.Outcome.Status != Answered {
		return fmt.Errorf("%w: the question was not answered", proof.ErrNone)
	}
	o := rec.Outcome
	name, err := keys.Verify(rec.proofStatement(o.Reply, o.At), o.Proof)
	if err == nil {
		o.Proof.Name, o.Proof.Verified = name, true
	}
	return err
}

// checkProof checks the proof that an answer carries, or needs. Fresh means that it is
// given now.
func (d *Desk) checkProof(ctx context.Context, rec *Record, o *Outcome, policy Policy, fresh bool) error {
	answers := o.Status == Answered || len(o.Reply.Answers) > 0 // those of a discussion, too
	needed := (rec.Prove || policy.covers(rec)) && answers && o.Answerer.Kind != HostAnswerer
	if !needed && o.Proof == nil {
		return nil
	}
	keys, err := d.keys(ctx)
	if err == nil {
		answered := Record{ID: rec.ID, SessionID: rec.SessionID, Asker: rec.Asker, Set: rec.Set, Outcome: o}
		err = answered.VerifyProof(&keys)
	}
	if age := d.now().Sub(o.At); err == nil && fresh && (age > maxProofAge || age < -maxProofAge) {
		err = fmt.Errorf("it was signed at %s, more than ten minutes from now", o.At.Format(time.RFC3339))
	}
	if err != nil && needed {
		return fmt.Errorf("%w: %w", ErrProofRequired, err)
	}
	return nil
}
