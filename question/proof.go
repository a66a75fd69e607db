package question

import "time"

// ProofKind is the kind of key that signs a reply.
type ProofKind string

// The kinds of keys.
const (
	PasskeyProof    ProofKind = "passkey"    // a WebAuthn credential
	SSHProof        ProofKind = "ssh"        // a key of OpenSSH
	CredentialProof ProofKind = "credential" // a human's credential of a shared desk: an nkey
)

// Proof is the user's signature over a reply and what it answers. What it says of its key
// is a claim until the signature is verified; package desk/proof does that.
type Proof struct {
	Kind ProofKind `json:"kind"`
	Key  string    `json:"key"`            // the key's id: a fingerprint, or a credential's id
	Name string    `json:"name,omitempty"` // by which the key is trusted
	At   time.Time `json:"at"`             // when it was signed, which is when the reply was given
	// Verified says that the signature was verified, with Name. It is not kept.
	Verified bool `json:"-"`

	Signature []byte `json:"signature"`
	// A passkey signs these two. The first has the sum of the statement as its challenge.
	ClientData        []byte `json:"client_data,omitempty"`
	AuthenticatorData []byte `json:"authenticator_data,omitempty"`
}
