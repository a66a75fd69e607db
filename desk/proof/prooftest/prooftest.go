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
	private *ecdsa.PrivateKey
}

// New returns a new passkey. It panics where the machine has no random numbers.
func New(name string) Passkey {
	private := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	public := must(x509.MarshalPKIXPublicKey(&private.PublicKey))
	key := proof.Passkey{Name: name, ID: rand.Text(), Party: "localhost", PublicKey: public, Created: time.Now().UTC()}
	return Passkey{key, private}
}

// Sign returns a reply to a record with the passkey's proof of it at a time. It panics where
// the reply does not fit the record.
func (k Passkey) Sign(rec *desk.Record, r question.Reply, at time.Time) question.Reply {
	at = at.UTC().Round(0)
	sum := must(must(rec.ProofStatement(r, at)).Sum())
	party := sha256.Sum256([]byte(k.Party))
	authenticator := append(party[:], 5, 0, 0, 0, 0) // the user was there, and verified; no counter
	client := fmt.Appendf(nil, `{"type":"webauthn.get","challenge":%q,"origin":"http://localhost:8080"}`,
		proof.Challenge(sum))
	inner := sha256.Sum256(client)
	signed := sha256.Sum256(append(slices.Clone(authenticator), inner[:]...))
	r.Proof = &question.Proof{
		Kind: question.PasskeyProof, Key: k.ID, At: at, ClientData: client, AuthenticatorData: authenticator,
		Signature: must(ecdsa.SignASN1(rand.Reader, k.private, signed[:])),
	}
	return r
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
