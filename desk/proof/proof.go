package proof

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the kind of a key.
type Kind string

// The kinds of keys.
const (
	PasskeyKind    Kind = "passkey"    // a WebAuthn credential
	SSHKind        Kind = "ssh"        // a key of OpenSSH
	CredentialKind Kind = "credential" // a human's credential of a shared desk: an nkey
)

// Proof is a signature over a statement. What it says of its key is a claim until
// [Keys.Verify] has checked it.
type Proof struct {
	Kind Kind      `json:"kind"`
	Key  string    `json:"key"`            // the key's id: a fingerprint, or a credential's id
	Name string    `json:"name,omitempty"` // by which the key is trusted
	At   time.Time `json:"at"`             // the statement's time
	// Verified says that the signature was checked, with Name. It is not kept.
	Verified bool `json:"-"`

	Signature []byte `json:"signature"`
	// A passkey signs these two, and the first has the statement's sum as its challenge.
	ClientData        []byte `json:"client_data,omitempty"`
	AuthenticatorData []byte `json:"authenticator_data,omitempty"`
}

// Errors of a verification. Each is a sentence for the user.
var (
	ErrNone           = errors.New("it carries no proof")
	ErrUntrusted      = errors.New("its key is not among those that are trusted")
	ErrMismatch       = errors.New("it was signed for another question, answer or time")
	ErrUnverifiedUser = errors.New("the passkey did not verify its user by PIN, fingerprint or face")
	ErrOrigin         = errors.New("the passkey was used on another page")
	ErrSignature      = errors.New("the signature is not by its key")
	ErrCounter        = errors.New("the passkey's counter went back: it may have been copied")
)

// Verify checks a proof of a statement, and returns the name by which its key is trusted.
// The error wraps one of those above.
func (k *Keys) Verify(s Statement, p *Proof) (name string, err error) {
	if p == nil {
		return "", ErrNone
	}
	if !s.At.Equal(p.At) {
		return "", fmt.Errorf("%w: it names %s, and the answer %s", ErrMismatch, p.At.Format(time.RFC3339), s.At.Format(time.RFC3339))
	}
	sum, err := s.Sum()
	if err != nil {
		return "", err
	}
	switch p.Kind {
	case PasskeyKind:
		return k.verifyPasskey(sum, p)
	case SSHKind:
		return k.verifySSH(sum, p)
	case CredentialKind:
		return k.verifyCredential(sum, p)
	}
	return "", fmt.Errorf("%w: %q is no kind of key", ErrUntrusted, p.Kind)
}
