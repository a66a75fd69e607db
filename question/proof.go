package question

import (
	"encoding/json"
	"time"
)

// ProofKind is the kind of key that signs a reply.
type ProofKind string

// The kinds of keys.
const (
	PasskeyProof    ProofKind = "passkey"    // a WebAuthn credential
	CredentialProof ProofKind = "credential" // a human's credential of a shared desk: an nkey
)

// Proof is the user's signature over a reply and what it answers. What it says of its key
// is a claim until the signature is verified; package desk/proof does that.
type Proof struct {
	Kind ProofKind `json:"kind"`
	Key  string    `json:"key"`            // the key's id: a fingerprint, or a credential's id
	Name string    `json:"name,omitempty"` // by which the key is trusted
	At   time.Time `json:"at"`             // when it was signed, which is when the reply was given
	// Verified says that the signature was verified, with Name.
	Verified bool `json:"verified,omitempty"`

	Signature []byte `json:"signature,omitempty"`
	// A passkey signs these two. The first has the sum of the statement as its challenge.
	ClientData        []byte `json:"client_data,omitempty"`
	AuthenticatorData []byte `json:"authenticator_data,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. No document can claim that it was verified.
func (p *Proof) UnmarshalJSON(data []byte) error {
	type plain Proof
	err := json.Unmarshal(data, (*plain)(p))
	p.Verified = false
	return err
}

// Public returns a verified proof without its signature, for programs and people; nil where
// none was verified.
func (p *Proof) Public() *Proof {
	if p == nil || !p.Verified {
		return nil
	}
	return &Proof{Kind: p.Kind, Key: Line(p.Key), Name: Line(p.Name), At: p.At.UTC(), Verified: true}
}
