package desk

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// RequiresProof reports whether the user must sign an answer that is given here: the policy
// here says so; or the asker, or the shared desk, and the credential of this process does
// not sign by itself.
func (d *Desk) RequiresProof(rec *Record) bool {
	rules := d.rules(context.Background(), rec.ID)
	return d.prove.covers(rec) || (rec.Prove || rules.Prove.covers(rec)) && !rules.Signs
}

// require has a request ask for what the policies require: an agent can ask for more, and
// never for less.
func (d *Desk) require(ctx context.Context, r *Request) {
	rec, rules := r.record(), d.rules(ctx, "")
	r.Prove = r.Prove || d.prove.Stricter(rules.Prove).covers(&rec)
}

// rules returns the rules of the shared desk that a record is on, as far as they are known.
func (d *Desk) rules(ctx context.Context, id string) (r Rules) {
	if d.signer == nil {
		return r
	}
	r, err := d.signer.Rules(ctx, id)
	if err != nil {
		d.log.DebugContext(ctx, "the rules of the desk", "error", err)
	}
	return r
}

// Humans returns the humans of the shared desk that a record is on: names by public key.
func (d *Desk) Humans(ctx context.Context, id string) map[string]string {
	return d.rules(ctx, id).Humans
}

// sign signs an outcome of a human with their credential. The error wraps ErrDenied where
// no asker would take it.
func (d *Desk) sign(ctx context.Context, rec *Record, o *Outcome) error {
	if d.signer == nil || o.Reply == nil {
		return nil
	}
	sum, err := rec.proofStatement(o.Reply, o.At).Sum()
	if err != nil {
		return err
	}
	key, signature, err := d.signer.Sign(ctx, rec.ID, sum)
	if err != nil || key == "" {
		return err
	}
	o.Credential = &question.Proof{Kind: question.CredentialProof, Key: key, At: o.At, Signature: signature}
	rules := d.rules(ctx, rec.ID)
	if err := rec.checkCredential(o, rules.Signers(rec.ID)); err != nil {
		return fmt.Errorf("%w: the operator has not listed its key (mcp-askuser desk create): %w", ErrDenied, err)
	}
	return nil
}

// signers are the keys with which an author's outcome may be signed, nil where it need not be.
func (a *Author) signers() map[string]string {
	if a.Humans == nil {
		return nil
	}
	own := maps.Clone(a.Humans)
	maps.DeleteFunc(own, func(_, name string) bool { return name != a.Name })
	return own
}

// checkCredential checks the signature of a human's credential over an outcome, by one of
// some keys; nil where none is needed. It covers the reply, and so its answerer.
func (rec *Record) checkCredential(o *Outcome, signers map[string]string) error {
	if signers == nil {
		return nil
	}
	keys := proof.Keys{Humans: signers}
	name, err := keys.Verify(rec.proofStatement(o.Reply, o.At), o.Credential)
	if err != nil {
		return err
	}
	byUser := o.Answerer.Kind == UserAnswerer
	if o.Status == Answered && slices.ContainsFunc(o.Reply.Answers, func(x question.Answer) bool { return byUser != (x.By == question.ByUser) }) {
		return fmt.Errorf("%w: its answers are not by its answerer", proof.ErrMismatch)
	}
	o.Credential.Name, o.Credential.Verified = name, true
	return nil
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
// given now. The signature of a human's credential, once checked, is the proof where there is
// no better one.
func (d *Desk) checkProof(ctx context.Context, rec *Record, o *Outcome, policy Policy, fresh bool) error {
	answers := o.Status == Answered || len(o.Reply.Answers) > 0 // those of a discussion, too
	needed := rec.Prove || policy.covers(rec)
	if fresh { // and not signed with the credential yet
		needed = d.RequiresProof(rec)
	}
	needed = needed && answers && o.Answerer.Kind != HostAnswerer
	signed := o.Credential != nil && o.Credential.Verified
	if o.Proof == nil && (signed || !needed) {
		if signed {
			o.Proof = o.Credential
		}
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
	if err != nil && signed {
		o.Proof, err = o.Credential, nil
	}
	if err != nil && needed {
		return fmt.Errorf("%w: %w", ErrProofRequired, err)
	}
	return nil
}
