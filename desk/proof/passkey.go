package proof

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"mcp-askuser/internal/door"
	"mcp-askuser/question"
)

// Passkey is a WebAuthn credential that the user registered.
type Passkey struct {
	Name      string    `json:"name"`
	ID        string    `json:"id"`         // base64url, as browsers write it
	PublicKey []byte    `json:"public_key"` // SubjectPublicKeyInfo: ECDSA P-256, Ed25519 or RSA
	Party     string    `json:"rp_id"`      // the page's host
	Created   time.Time `json:"created"`
	Removed   time.Time `json:"removed,omitzero"` // what it signed before still counts
}

// clientData is what a browser writes into a response of an authenticator (WebAuthn, 5.8.1).
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
}

// The layout of authenticator data (WebAuthn, 6.1): the SHA-256 of the relying party's id,
// flags, and a counter, which says nothing of most authenticators and is not kept.
const (
	flagsAt     = sha256.Size
	minAuthData = flagsAt + 1 + 4

	userPresent  = 1 << 0
	userVerified = 1 << 2
)

// Challenge is what a browser is given to have a statement signed.
func Challenge(sum []byte) string { return base64.RawURLEncoding.EncodeToString(sum) }

// Register checks a browser's response to navigator.credentials.create, and returns the
// passkey. The page has given it the challenge; the public key is that of getPublicKey.
// Attestation is not asked for: the user, who is at the page, says that the key is theirs.
func Register(name, id, challenge string, publicKey, client, authenticator []byte) (Passkey, error) {
	k := Passkey{Name: name, ID: id, PublicKey: publicKey}
	if _, err := k.algorithm(); err != nil {
		return k, err
	}
	party, err := checkClientData(client, "webauthn.create", challenge)
	if err != nil {
		return k, err
	}
	k.Party = party
	return k, k.checkAuthenticator(authenticator)
}

// checkClientData returns the relying party's id of a response: the host of its page.
func checkClientData(data []byte, kind, challenge string) (party string, err error) {
	var c clientData
	if err := json.Unmarshal(data, &c); err != nil {
		return "", fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	if c.Type != kind || c.Challenge != challenge {
		return "", ErrMismatch
	}
	origin, err := url.Parse(c.Origin)
	if err != nil || c.CrossOrigin || origin.Scheme != "https" && !door.Loopback(origin.Hostname()) {
		return "", fmt.Errorf("%w: %q", ErrOrigin, c.Origin)
	}
	return origin.Hostname(), nil
}

// checkAuthenticator checks that a user was there, was verified, and was on the page that
// the passkey is for.
func (k *Passkey) checkAuthenticator(data []byte) error {
	party := sha256.Sum256([]byte(k.Party))
	switch {
	case len(data) < minAuthData:
		return fmt.Errorf("%w: the authenticator's data have %d bytes", ErrMismatch, len(data))
	case !bytes.Equal(data[:flagsAt], party[:]):
		return ErrOrigin
	case data[flagsAt]&userPresent == 0 || data[flagsAt]&userVerified == 0:
		return ErrUnverifiedUser
	}
	return nil
}

// algorithm returns how the key signs.
func (k *Passkey) algorithm() (c x509.Certificate, err error) {
	c.PublicKey, err = x509.ParsePKIXPublicKey(k.PublicKey)
	if err != nil {
		return c, fmt.Errorf("the public key of %q: %w", k.Name, err)
	}
	switch c.PublicKey.(type) {
	case *ecdsa.PublicKey:
		c.SignatureAlgorithm = x509.ECDSAWithSHA256
	case ed25519.PublicKey:
		c.SignatureAlgorithm = x509.PureEd25519
	case *rsa.PublicKey:
		c.SignatureAlgorithm = x509.SHA256WithRSA
	default:
		return c, errors.New("the passkey is of a kind that is not supported: ECDSA, Ed25519 or RSA are")
	}
	return c, nil
}

func (k *Keys) verifyPasskey(sum []byte, p *question.Proof) (name string, err error) {
	i := slices.IndexFunc(k.Passkeys, func(x Passkey) bool {
		return x.ID == p.Key && (x.Removed.IsZero() || p.At.Before(x.Removed))
	})
	if i < 0 {
		return "", ErrUntrusted
	}
	key := &k.Passkeys[i]
	party, err := checkClientData(p.ClientData, "webauthn.get", Challenge(sum))
	if err != nil {
		return "", err
	}
	if party != key.Party {
		return "", fmt.Errorf("%w: %s", ErrOrigin, party)
	}
	err = key.checkAuthenticator(p.AuthenticatorData)
	if err != nil {
		return "", err
	}
	by, err := key.algorithm()
	if err != nil {
		return "", err
	}
	client := sha256.Sum256(p.ClientData)
	signed := append(slices.Clone(p.AuthenticatorData), client[:]...)
	if by.CheckSignature(by.SignatureAlgorithm, signed, p.Signature) != nil {
		return "", ErrSignature
	}
	return key.Name, nil
}
