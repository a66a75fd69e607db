package proof

import (
	"errors"
	"fmt"
	"time"

	"mcp-askuser/question"
)

// Errors of a verification. Each is a sentence for the user.
var (
	ErrNone           = errors.New("it carries no proof")
	ErrUntrusted      = errors.New("its key is not among those that are trusted")
	ErrMismatch       = errors.New("it was signed for another question, answer or time")
	ErrUnverifiedUser = errors.New("the passkey did not verify its user by PIN, fingerprint or face")
	ErrOrigin         = errors.New("the passkey was used on another page")
	ErrSignature      = errors.New("the signature is not by its key")
)

// Verify checks a proof of a statement, and notes in it the name by which its key is
// trusted. The error wraps one of those above.
func (k *Keys) Verify(s Statement, p *question.Proof) error {
	if p == nil {
		return ErrNone
	}
	p.Verified = false
	if !s.At.Equal(p.At) {
		return fmt.Errorf("%w: it names %s, and the answer %s", ErrMismatch, p.At.Format(time.RFC3339),
			s.At.Format(time.RFC3339))
	}
	sum, err := s.Sum()
	if err != nil {
		return err
	}
	name := ""
	switch p.Kind {
	case question.PasskeyProof:
		name, err = k.verifyPasskey(sum, p)
	case question.CredentialProof:
		name, err = k.verifyCredential(sum, p)
	default:
		err = fmt.Errorf("%w: %q is no kind of key", ErrUntrusted, p.Kind)
	}
	if err == nil {
		p.Name, p.Verified = name, true
	}
	return err
}
