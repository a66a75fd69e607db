package desk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// A confirmation may require proof: a signature of the user's over what they read and
// answered (see package proof). The desk takes no answer to such a record without one, and
// delivers none. No other record has a proof. On a shared desk every reply of a user is
// signed with their credential, which is the proof there.

// Policy says which records require proof, beyond those whose asker wants it.
type Policy string

// The policies.
const (
	ProveNone    Policy = "none"
	ProveConfirm Policy = "confirm" // confirmations
)

// provable reports whether an answer to the record can be proven. A host's own dialog, which
// answers a mirrored record too, signs nothing.
func (rec *Record) provable() bool { return rec.Set.Provable() && !rec.Asker.Mirrored() }

// needsProof reports whether an answer to the record must be proven under a policy.
func (rec *Record) needsProof(p Policy) bool {
	return rec.provable() && (rec.Prove || p == ProveConfirm)
}

// ErrProofRequired means that an answer needs a proof, and has none that counts. The
// question stays open.
var ErrProofRequired = errors.New("this answer must be signed by the user, on the page (mcp-askuser web --open)")

// errKeys means that the trusted keys cannot be read: nothing is known of a proof then.
var errKeys = errors.New("the trusted keys cannot be read")

// maxProofAge is how long before it reaches the desk an answer may have been signed.
const maxProofAge = 10 * time.Minute

// RequiresProof reports whether the user must sign an answer that is given here: the policy
// here or the asker requires it. Only the page takes such an answer, as it shows the
// question whole.
func (d *Desk) RequiresProof(rec *Record) bool { return rec.needsProof(d.prove) }

// RequiresPasskey reports whether that takes a passkey: on a shared desk the credential
// signs.
func (d *Desk) RequiresPasskey(rec *Record) bool { return d.RequiresProof(rec) && rec.Home == "" }

// signWith signs with the credential of this process. The error wraps ErrDenied where that is
// no user's.
func (d *Desk) signWith(sum []byte) (key string, signature []byte, err error) {
	if d.credential != nil {
		key, signature, err = d.credential.Sign(sum)
	}
	if err == nil && key == "" {
		err = fmt.Errorf("%w: name a user's credential (desk_creds)", ErrDenied)
	}
	return key, signature, err
}

// sign signs the reply of a user to a record of a shared desk.
func (d *Desk) sign(rec *Record, o *Outcome) error {
	if rec.Home == "" || o.byAsker() {
		return nil
	}
	sum, err := rec.proofStatement(o).Sum()
	if err != nil {
		return err
	}
	key, signature, err := d.signWith(sum)
	if err != nil {
		return err
	}
	o.Credential = &question.Proof{Kind: question.CredentialProof, Key: key, At: o.At, Signature: signature}
	return nil
}

// byAsker reports whether the asker, or its host, gives the reply itself.
func (o *Outcome) byAsker() bool {
	return o.Answerer != nil && (o.Answerer.Kind == AskerAnswerer || o.Answerer.Kind == HostAnswerer)
}

// verifyCredential checks the signature of a user of the shared desk over a reply, and names the
// answerer after that user. The signature of a listed user counts whichever credential stored the
// reply, at any time. The signature of a former user counts where the row says that the user's own
// credential stored the reply: no former user has one any more.
func (d *Desk) verifyCredential(ctx context.Context, rec *Record, o *Outcome, row *store.Row) error {
	if rec.Home == "" || o.byAsker() {
		return nil
	}
	if d.credential == nil || o.Answerer == nil {
		return proof.ErrNone
	}
	humans, former, err := d.credential.Humans(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errKeys, err)
	}
	keys := proof.Keys{Humans: map[string]string{}}
	maps.Copy(keys.Humans, humans) // which is nil where a list has former users alone
	for key, name := range former {
		if row != nil && row.Human == name {
			keys.Humans[key] = name
		}
	}
	err = keys.Verify(rec.proofStatement(o), o.Credential)
	if err != nil {
		return fmt.Errorf("%w: the operator lists the users of the desk: %w", ErrDenied, err)
	}
	byUser := o.Answerer.Kind == UserAnswerer
	byAnother := func(x question.Answer) bool { return byUser != (x.By == question.ByUser) }
	if o.Status == Answered && slices.ContainsFunc(o.Reply.Answers, byAnother) {
		return fmt.Errorf("%w: its answers are not by its answerer", proof.ErrMismatch)
	}
	o.Answerer.Name = o.Credential.Name
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
	if o.Reply != nil {
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

// admit checks that a reply may end a record: that it fits, that a user of the shared desk
// has signed it, that it has a proof if it needs one, and that its answerer may give it. The row
// is nil before the reply is stored.
func (d *Desk) admit(ctx context.Context, rec *Record, o *Outcome, row *store.Row, needsProof bool) error {
	_, err := rec.Check(*o.Reply)
	if err != nil {
		return err
	}
	if o.Answerer == nil {
		return ErrUserRequired
	}
	err = d.verifyCredential(ctx, rec, o, row)
	if err != nil {
		return err
	}
	return errors.Join(d.checkProof(rec, o, needsProof), rec.permit(o))
}

// checkProof checks the proof that a reply carries, or needs. The verified signature of a
// credential is the proof on a shared desk.
func (d *Desk) checkProof(rec *Record, o *Outcome, needed bool) error {
	if !rec.provable() {
		o.Proof = nil
		return nil
	}
	if rec.Home != "" {
		o.Proof = nil
		if rec.Prove {
			o.Proof = o.Credential
		}
		return nil
	}
	err := proof.ErrNone
	if o.Proof != nil { // else the keys are not read
		keys, failed := d.keys(nil)
		ended := *rec
		ended.Outcome = o
		err = ended.VerifyProof(&keys)
		if failed != nil {
			err = fmt.Errorf("%w: %w", errKeys, failed)
		}
	}
	answers := o.Status == Answered || len(o.Reply.Answers) > 0 // those of a discussion, too
	if err == nil || !needed || !answers {
		return nil
	}
	if errors.Is(err, errKeys) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrProofRequired, err)
}

// Humans returns the names of the users of the shared desk, by the public keys of their credentials;
// none without one.
func (d *Desk) Humans(ctx context.Context) (map[string]string, error) {
	if d.credential == nil {
		return nil, nil
	}
	now, _, err := d.credential.Humans(ctx)
	return now, err
}

// Keys returns the passkeys of this machine's user, after change unless that is nil.
func (d *Desk) Keys(change func(*proof.Keys) error) (proof.Keys, error) { return d.keys(change) }
