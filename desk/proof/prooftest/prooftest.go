// Package prooftest signs with passkeys, as a browser and an authenticator do, for tests.
package prooftest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"slices"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
)

// Passkey is a passkey of the page on localhost, with its private key.
type Passkey struct {
	proof.Passkey
	Kind   string // of a browser's response
	Origin string // of the page that a response names
	Flags  byte   // of the authenticator: 1 is that a user was there, 4 that they were verified

	private *ecdsa.PrivateKey
}

// New returns a new passkey. It panics where the machine has no random numbers.
func New(name string) Passkey {
	private := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	public := must(x509.MarshalPKIXPublicKey(&private.PublicKey))
	key := proof.Passkey{Name: name, ID: rand.Text(), Party: "localhost", PublicKey: public, Created: time.Now().UTC()}
	return Passkey{Passkey: key, Kind: "webauthn.get", Origin: "http://localhost:8080", Flags: 1 | 4, private: private}
}

// Client returns what a browser writes into a response to a challenge.
func (k Passkey) Client(challenge string) []byte {
	return fmt.Appendf(nil, `{"type":%q,"challenge":%q,"origin":%q}`, k.Kind, challenge, k.Origin)
}

// Authenticator returns what an authenticator says to the page of a party. It has no counter.
func (k Passkey) Authenticator(party string) []byte {
	sum := sha256.Sum256([]byte(party))
	return append(sum[:], k.Flags, 0, 0, 0, 0)
}

// Prove returns the passkey's proof of a statement. It panics where that cannot be written.
func (k Passkey) Prove(s proof.Statement) *question.Proof {
	p := &question.Proof{
		Kind: question.PasskeyProof, Key: k.ID, At: s.At,
		ClientData: k.Client(proof.Challenge(must(s.Sum()))), AuthenticatorData: k.Authenticator(k.Party),
	}
	client := sha256.Sum256(p.ClientData)
	signed := sha256.Sum256(append(slices.Clone(p.AuthenticatorData), client[:]...))
	p.Signature = must(ecdsa.SignASN1(rand.Reader, k.private, signed[:]))
	return p
}

// Sign returns a reply to a record with the passkey's proof of it at a time. It panics where
// the reply does not fit the record.
func (k Passkey) Sign(rec *desk.Record, r question.Reply, at time.Time) question.Reply {
	r.Proof = k.Prove(must(rec.ProofStatement(r, at.UTC().Round(0))))
	return r
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
