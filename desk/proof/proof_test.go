package proof_test

import (
	"crypto/sha256"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// TestPasskey: an assertion counts for its own statement alone, by a user who was verified,
// on the passkey's page, and with a passkey that is trusted.
func TestPasskey(t *testing.T) {
	type (
		key       = prooftest.Passkey
		statement = proof.Statement
		signature = question.Proof
		keys      = proof.Keys
	)
	for name, test := range map[string]struct {
		change func(*key, *statement, *keys) // before it is signed
		spoil  func(*statement, *signature)  // after
		want   error
	}{
		"as it is":         {},
		"another question": {spoil: func(s *statement, _ *signature) { s.Questions[0].Text += "!" }, want: proof.ErrMismatch},
		"another answer": {spoil: func(s *statement, _ *signature) {
			s.Reply.Answers[0].Selected = []string{question.NoID}
		}, want: proof.ErrMismatch},
		"another time":               {spoil: func(s *statement, _ *signature) { s.At = s.At.Add(1) }, want: proof.ErrMismatch},
		"another time, said by both": {spoil: func(s *statement, p *signature) { s.At = s.At.Add(1); p.At = s.At }, want: proof.ErrMismatch},
		"no user verification":       {change: func(k *key, _ *statement, _ *keys) { k.Flags = 1 }, want: proof.ErrUnverifiedUser},
		"nobody there":               {change: func(k *key, _ *statement, _ *keys) { k.Flags = 4 }, want: proof.ErrUnverifiedUser},
		"a registration":             {change: func(k *key, _ *statement, _ *keys) { k.Kind = "webauthn.create" }, want: proof.ErrMismatch},
		"another page":               {change: func(k *key, _ *statement, _ *keys) { k.Origin = "https://example.org" }, want: proof.ErrOrigin},
		"an insecure page": {change: func(k *key, _ *statement, of *keys) {
			k.Origin, k.Party, of.Passkeys[0].Party = "http://example.org", "example.org", "example.org"
		}, want: proof.ErrOrigin},
		"a secure page elsewhere": {change: func(k *key, _ *statement, of *keys) {
			k.Origin, k.Party, of.Passkeys[0].Party = "https://example.org", "example.org", "example.org"
		}},
		"another page's authenticator": {change: func(k *key, _ *statement, _ *keys) { k.Party = "example.org" }, want: proof.ErrOrigin},
		"not trusted":                  {change: func(_ *key, _ *statement, of *keys) { of.Passkeys = nil }, want: proof.ErrUntrusted},
		"removed":                      {change: func(_ *key, s *statement, of *keys) { of.Passkeys[0].Removed = s.At }, want: proof.ErrUntrusted},
		"removed later":                {change: func(_ *key, s *statement, of *keys) { of.Passkeys[0].Removed = s.At.Add(time.Second) }},
		"another's key": {change: func(_ *key, _ *statement, of *keys) {
			of.Passkeys[0].PublicKey = prooftest.New("other").PublicKey
		}, want: proof.ErrSignature},
		"other flags": {spoil: func(_ *statement, p *signature) { p.AuthenticatorData[sha256.Size] |= 1 << 3 }, want: proof.ErrSignature},
		"data cut off": {spoil: func(_ *statement, p *signature) {
			p.AuthenticatorData = p.AuthenticatorData[:9]
		}, want: proof.ErrMismatch},
		"no client data":    {spoil: func(_ *statement, p *signature) { p.ClientData = nil }, want: proof.ErrMismatch},
		"an unknown kind":   {spoil: func(_ *statement, p *signature) { p.Kind = "ssh" }, want: proof.ErrUntrusted},
		"as a credential's": {spoil: func(_ *statement, p *signature) { p.Kind = question.CredentialProof }, want: proof.ErrUntrusted},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := prooftest.New("laptop"), statementOf(question.Boolean)
			trusted := proof.Keys{Passkeys: []proof.Passkey{k.Passkey}}
			if test.change != nil {
				test.change(&k, &s, &trusted)
			}
			p := k.Prove(s)
			if test.spoil != nil {
				test.spoil(&s, p)
			}
			err := trusted.Verify(s, p)
			if !errors.Is(err, test.want) || test.want == nil && (err != nil || p.Name != "laptop") || p.Verified != (err == nil) {
				t.Errorf("got %q, %v; want %v", p.Name, err, test.want)
			}
		})
	}
	err := new(proof.Keys).Verify(statementOf(question.Boolean), nil)
	if !errors.Is(err, proof.ErrNone) {
		t.Errorf("without a proof: %v", err)
	}
}

// TestRegister: a registration is kept and read back; a bad one is refused.
func TestRegister(t *testing.T) {
	key := prooftest.New("laptop")
	registers := key
	registers.Kind = "webauthn.create"
	response, data := registers.Client("c"), registers.Authenticator("localhost")
	k, err := proof.Register("laptop", key.ID, "c", key.PublicKey, response, data)
	fatal.If(t, err)
	dir := filepath.Join(t.TempDir(), "keys")
	fatal.If(t, proof.UpdatePasskeys(dir, func(keys *proof.Keys) error {
		keys.Passkeys = append(keys.Passkeys, k)
		return nil
	}))
	keys, err := proof.Load(dir)
	s := statementOf(question.Text)
	p := key.Prove(s)
	if bad := keys.Verify(s, p); err != nil || bad != nil || p.Name != "laptop" {
		t.Errorf("%q, %v, %v", p.Name, err, bad)
	}
	unverified := registers
	unverified.Flags = 1
	for _, bad := range []struct {
		client, data []byte
		want         error
	}{
		{registers.Client("d"), data, proof.ErrMismatch},
		{response, unverified.Authenticator("localhost"), proof.ErrUnverifiedUser},
		{response, registers.Authenticator("example.org"), proof.ErrOrigin},
	} {
		_, err := proof.Register("x", "x", "c", key.PublicKey, bad.client, bad.data)
		if !errors.Is(err, bad.want) {
			t.Errorf("got %v, want %v", err, bad.want)
		}
	}
	_, err = proof.Register("x", "x", "c", []byte("no key"), nil, nil)
	if err == nil {
		t.Error("a key that is none is taken")
	}
}

// TestCredential: a human's nkey signs on a shared desk.
func TestCredential(t *testing.T) {
	pair, err := nkeys.CreateUser()
	fatal.If(t, err)
	public, err := pair.PublicKey()
	fatal.If(t, err)
	s := statementOf(question.MultiChoice)
	sum, _ := s.Sum()
	sig, err := pair.Sign(sum)
	fatal.If(t, err)
	p := &question.Proof{Kind: question.CredentialProof, Key: public, At: s.At, Signature: sig}
	keys := proof.Keys{Humans: map[string]string{public: "ada"}}
	if err := keys.Verify(s, p); err != nil || p.Name != "ada" {
		t.Errorf("%q, %v", p.Name, err)
	}
	s.Reply.Answers[0].Selected = []string{"a"}
	if err := keys.Verify(s, p); !errors.Is(err, proof.ErrSignature) {
		t.Errorf("another answer: %v", err)
	}
}
