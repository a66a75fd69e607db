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

func (p Policy) covers(rec *Record) bool {
	from := ProveAll
	if rec.Set.Confirms() {
		from = ProveConfirm
	} else if rec.Asker.Permission() {
		from = ProvePermissions
	}
	return slices.Index(Policies(), p) >= slices.Index(Policies(), from)
}

// ErrProofRequired means that an answer needs a proof, and has none that counts. The
// question stays open.
var ErrProofRequired = errors.New("this answer must be signed by the user: with a passkey on the page (mcp-askuser web), or with an SSH key in a terminal")

// errKeys means that the trusted keys cannot be read: nothing is known of a proof then.
var errKeys = errors.New("the trusted keys cannot be read")

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
	rec := r.record()
	r.Prove = r.Prove || d.prove.covers(&rec) || d.rules(ctx, "").Prove.covers(&rec)
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
	sum, err := rec.proofStatement(o).Sum()
	if err != nil {
		return err
	}
	key, signature, err := d.signer.Sign(ctx, rec.ID, sum)
	if err != nil || key == "" {
		return err
	}
	o.Credential = &question.Proof{Kind: question.CredentialProof, Key: key, At: o.At, Signature: signature}
	if err := rec.checkCredential(o, d.signers(ctx, rec.ID)); err != nil {
		return fmt.Errorf("%w: the operator has not listed its key (mcp-askuser desk create): %w", ErrDenied, err)
	}
	return nil
}

// signers returns the author of an outcome that any human of the shared desk may have signed.
func (d *Desk) signers(ctx context.Context, id string) *Author {
	rules := d.rules(ctx, id)
	return &Author{Humans: rules.Signers(id)}
}

// checkCredential checks the signature of a human's credential over an outcome, where its
// author needs one. It covers the reply, and so its answerer.
func (rec *Record) checkCredential(o *Outcome, by *Author) error {
	if by == nil || by.Humans == nil {
		return nil
	}
	keys := proof.Keys{Humans: by.Humans}
	if err := keys.Verify(rec.proofStatement(o), o.Credential); err != nil {
		return err
	}
	byUser := o.Answerer.Kind == UserAnswerer
	switch {
	case by.Name != "" && by.Name != o.Credential.Name:
		return fmt.Errorf("%w: it is that of %s", proof.ErrUntrusted, o.Credential.Name)
	case o.Status == Answered && slices.ContainsFunc(o.Reply.Answers, func(x question.Answer) bool { return byUser != (x.By == question.ByUser) }):
		return fmt.Errorf("%w: its answers are not by its answerer", proof.ErrMismatch)
	}
	return nil
}

// ProofStatement returns what a user signs who answers a record with r at a time, which
// is rounded as the store keeps it. The error is a question.Violations.
func (rec *Record) ProofStatement(r question.Reply, at time.Time) (proof.Statement, error) {
	attribute(&r, &Answerer{Kind: UserAnswerer})
	checked, err := rec.Check(r)
	return rec.proofStatement(&Outcome{Reply: &checked, At: at}), err
}

func (rec *Record) proofStatement(o *Outcome) proof.Statement {
	by := rec.Asker
	return proof.Statement{
		ID: rec.ID, Questions: rec.Questions, Reply: *o.Reply, At: o.At.Round(0),
		Asker: proof.Asker{Client: by.Client, Directory: by.Directory, Agent: by.Agent, Session: rec.SessionID},
	}
}

// VerifyProof checks the proof of an ended record against trusted keys. The error is a
// sentence for the user.
func (rec *Record) VerifyProof(keys *proof.Keys) error {
	if rec.Outcome == nil || rec.Outcome.Status != Answered {
		return fmt.Errorf("%w: the question was not answered", proof.ErrNone)
	}
	return keys.Verify(rec.proofStatement(rec.Outcome), rec.Outcome.Proof)
}

// admit checks that an outcome may end a record: that its reply fits, that it is signed as
// its author and the policy require, and that its answerer may give it. Fault says what of an
// outcome in the store is wrong.
func (d *Desk) admit(ctx context.Context, rec *Record, o *Outcome, by *Author, policy Policy) (fault string, err error) {
	if _, err := rec.Check(*o.Reply); err != nil {
		return "the answer in the store does not fit the question", err
	}
	if err := rec.checkCredential(o, by); err != nil {
		return "the answer in the store is not signed with the credential of its human", err
	}
	permitted, proven := rec.permit(o), d.checkProof(ctx, rec, o, policy)
	fault = "the answer in the store has no valid proof"
	if permitted != nil {
		fault = "the answer in the store is by an answerer who may not give it"
	}
	return fault, errors.Join(proven, permitted)
}

// checkProof checks the proof that an answer carries, or needs. The verified signature of a
// credential is the proof where there is no better one.
func (d *Desk) checkProof(ctx context.Context, rec *Record, o *Outcome, policy Policy) error {
	fresh := o.ID == "" // given now, and not signed with the credential yet
	needed := rec.Prove || policy.covers(rec)
	if fresh {
		needed = d.RequiresProof(rec)
	}
	answers := o.Status == Answered || len(o.Reply.Answers) > 0 // those of a discussion, too
	needed = needed && answers && o.Answerer.Kind != HostAnswerer
	err := d.verifyTrusted(ctx, rec, o)
	if age := d.now().Sub(o.At); err == nil && fresh && age.Abs() > maxProofAge {
		err = fmt.Errorf("it was signed at %s, more than ten minutes from now", o.At.Format(time.RFC3339))
	}
	switch {
	case err == nil:
	case o.Credential.Public() != nil:
		o.Proof = o.Credential
	case needed && !errors.Is(err, errKeys):
		return fmt.Errorf("%w: %w", ErrProofRequired, err)
	case needed:
		return err
	}
	return nil
}

// verifyTrusted verifies the proof of an outcome with the keys that are trusted here, which
// are read only if it has one.
func (d *Desk) verifyTrusted(ctx context.Context, rec *Record, o *Outcome) error {
	if o.Proof == nil {
		return proof.ErrNone
	}
	keys, err := d.keys(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errKeys, err)
	}
	ended := *rec
	ended.Outcome = o
	return ended.VerifyProof(&keys)
}
