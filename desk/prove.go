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

// A confirmation may require proof: a signature of the user's over what they read and
// answered (see package proof). The desk takes no answer to such a record without one, and
// delivers none. No other record has a proof.

// Policy says which records require proof, beyond those whose asker wants it.
type Policy string

// The policies.
const (
	ProveNone    Policy = "none"
	ProveConfirm Policy = "confirm" // confirmations
)

func (p Policy) covers(rec *Record) bool { return p != "" && p != ProveNone && rec.provable() }

// provable reports whether an answer to the record can be proven. A host's own dialog, which
// answers a mirrored record too, signs nothing.
func (rec *Record) provable() bool { return rec.Set.Provable() && !rec.Asker.Mirrored() }

// needsProof reports whether an answer to the record must be proven under a policy.
func (rec *Record) needsProof(p Policy) bool {
	return rec.Prove && rec.provable() || p.covers(rec)
}

// ErrProofRequired means that an answer needs a proof, and has none that counts. The
// question stays open.
var ErrProofRequired = errors.New("this answer must be signed by the user, on the page (mcp-askuser web --open)")

// errKeys means that the trusted keys cannot be read: nothing is known of a proof then.
var errKeys = errors.New("the trusted keys cannot be read")

// errForeignKey means that a human of a shared desk answered, and another's key has signed.
var errForeignKey = errors.New("it is signed with the key of another human than the one who answered")

// maxProofAge is how long before it reaches the desk an answer may have been signed.
const maxProofAge = 10 * time.Minute

// RequiresProof reports whether the user must sign an answer that is given here: the policy
// here, the asker or the shared desk requires it. Only the page takes such an answer, as it
// shows the question whole.
func (d *Desk) RequiresProof(rec *Record) bool {
	return rec.needsProof(d.prove) || d.rules(context.Background(), rec.ID).Prove.covers(rec)
}

// RequiresPasskey reports whether that takes a passkey: the policy here says so, or the
// credential of this process does not sign by itself.
func (d *Desk) RequiresPasskey(rec *Record) bool {
	return d.prove.covers(rec) || d.RequiresProof(rec) && !d.rules(context.Background(), rec.ID).Signs
}

// require has a request ask for what the policies require: an agent can ask for more, and
// never for less.
func (d *Desk) require(ctx context.Context, r *Request) {
	rec := r.record()
	r.Prove = rec.needsProof(d.prove) || d.rules(ctx, "").Prove.covers(&rec)
}

// rules returns the rules of the shared desk that a record is on, as far as they are known.
func (d *Desk) rules(ctx context.Context, id string) (r Rules) {
	if d.shared == nil {
		return r
	}
	r, err := d.shared.Rules(ctx, id)
	if err != nil {
		d.log.DebugContext(ctx, "the rules of the desk", "error", err)
	}
	return r
}

// sign signs an outcome of a human with their credential. The error wraps ErrDenied where
// no asker would take it.
func (d *Desk) sign(ctx context.Context, rec *Record, o *Outcome) error {
	if d.shared == nil {
		return nil
	}
	sum, err := rec.proofStatement(o).Sum()
	if err != nil {
		return err
	}
	key, signature, err := d.shared.Sign(ctx, rec.ID, sum)
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
	byUser := o.Answerer != nil && o.Answerer.Kind == UserAnswerer
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
	s := proof.Statement{
		ID: rec.ID, Questions: rec.Questions, At: o.At.Round(0), Prove: rec.Prove,
		Asker: proof.Asker{Client: by.Client, Directory: by.Directory, Agent: by.Agent, Session: rec.SessionID},
	}
	if o.Reply == nil {
		s.Status = string(o.Status)
	} else {
		s.Reply = *o.Reply
	}
	return s
}

// VerifyProof checks the proof of an ended record against trusted keys. The error is a
// sentence for the user.
func (rec *Record) VerifyProof(keys *proof.Keys) error {
	if rec.Reply() == nil || StatusOf(*rec.Reply()) != Answered {
		return fmt.Errorf("%w: the question was not answered", proof.ErrNone)
	}
	return keys.Verify(rec.proofStatement(rec.Outcome), rec.Outcome.Proof)
}

// admit checks that an outcome may end a record: that its reply fits, that it is signed as
// its author requires, and with a proof if it needs one, and that its answerer may give it.
// Fault says what of an outcome in the store is wrong.
func (d *Desk) admit(ctx context.Context, rec *Record, o *Outcome, by *Author, needsProof bool) (fault string, err error) {
	if _, err := rec.Check(*o.Reply); err != nil {
		return "the answer in the store does not fit the question", err
	}
	if err := rec.checkCredential(o, by); err != nil {
		return "the answer in the store is not signed with the credential of its human", err
	}
	permitted, proven := rec.permit(o), d.checkProof(ctx, rec, o, by, needsProof)
	fault = "the answer in the store has no valid proof"
	switch {
	case permitted != nil:
		fault = "the answer in the store is by an answerer who may not give it"
	case errors.Is(proven, errForeignKey):
		fault = "the answer in the store is signed with the key of another human than the one who gave it"
	}
	return fault, errors.Join(proven, permitted)
}

// checkProof checks the proof that an answer carries, or needs. The verified signature of a
// credential is the proof where there is no better one.
func (d *Desk) checkProof(ctx context.Context, rec *Record, o *Outcome, by *Author, needed bool) error {
	if !rec.provable() {
		o.Proof = nil
		return nil
	}
	answers := o.Status == Answered || len(o.Reply.Answers) > 0 // those of a discussion, too
	needed = needed && answers && o.Answerer.Kind != HostAnswerer
	err, signed := d.verifyTrusted(ctx, rec, o, by), o.Credential.Public() != nil && rec.Prove
	switch {
	case err == nil:
	case errors.Is(err, errKeys) && (needed || signed):
		return err
	case errors.Is(err, errForeignKey), needed && !signed:
		return fmt.Errorf("%w: %w", ErrProofRequired, err)
	case signed:
		o.Proof = o.Credential
	}
	return nil
}

// verifyTrusted verifies the proof of an outcome with the keys that count for its author,
// which are read only if it has one.
func (d *Desk) verifyTrusted(ctx context.Context, rec *Record, o *Outcome, by *Author) error {
	if o.Proof == nil {
		return proof.ErrNone
	}
	human := "" // that of this process
	if by != nil {
		human = by.Name
	}
	all, err := d.Keys(ctx, rec.ID, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errKeys, err)
	}
	keys, ended := all[human], *rec
	ended.Outcome = o
	if err = ended.VerifyProof(&keys); err == nil && human != "" {
		o.Proof.Name = human + "/" + o.Proof.Name
	}
	for other, keys := range all {
		if errors.Is(err, proof.ErrUntrusted) && ended.VerifyProof(&keys) == nil {
			o.Proof.Verified, err = false, fmt.Errorf("%w: %s", errForeignKey, other)
		}
	}
	return err
}

// Keys returns the keys that count for a record, by the names of their humans: on a shared
// desk those that its humans have written there. Those of the human of this process are under
// the empty name, elsewhere those beside the store. Unless change is nil it first changes
// these; for no record, those beside the store too.
func (d *Desk) Keys(ctx context.Context, id string, change func(*proof.Keys) error) (all map[string]proof.Keys, err error) {
	if d.shared != nil {
		all, err = d.shared.Keys(ctx, id, change)
	}
	if err != nil || all != nil && (change == nil || id != "") {
		return all, err
	}
	keys, err := d.keys(change)
	if all == nil {
		all = map[string]proof.Keys{"": keys}
	}
	return all, err
}
