package proof

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// authenticator is a passkey's private side.
type authenticator struct {
	Passkey
	sign   func(data []byte) []byte
	flags  byte
	origin string
	kind   string
}

func newAuthenticator(t *testing.T, name string) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	fatal.If(t, err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	fatal.If(t, err)
	a := &authenticator{flags: userPresent | userVerified, origin: "https://localhost:8080", kind: "webauthn.get"}
	a.Passkey = Passkey{Name: name, ID: name + "-id", PublicKey: public, Party: "localhost"}
	a.sign = func(data []byte) []byte {
		sum := sha256.Sum256(data)
		sig, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
		fatal.If(t, err)
		return sig
	}
	return a
}

func (a *authenticator) data(party string) []byte {
	sum := sha256.Sum256([]byte(party))
	return binary.BigEndian.AppendUint32(append(sum[:], a.flags), 0)
}

func (a *authenticator) client(challenge string) []byte {
	data, _ := json.Marshal(clientData{Type: a.kind, Challenge: challenge, Origin: a.origin})
	return data
}

func (a *authenticator) prove(t *testing.T, s Statement) *question.Proof {
	t.Helper()
	sum, err := s.Sum()
	fatal.If(t, err)
	p := &question.Proof{Kind: question.PasskeyProof, Key: a.ID, At: s.At, ClientData: a.client(Challenge(sum)), AuthenticatorData: a.data(a.Party)}
	client := sha256.Sum256(p.ClientData)
	p.Signature = a.sign(append(slices.Clone(p.AuthenticatorData), client[:]...))
	return p
}

// TestPasskey: an assertion counts for its own statement alone, by a user who was verified,
// on the passkey's page, and with a passkey that is trusted.
func TestPasskey(t *testing.T) {
	s := statement(question.Boolean)
	for name, test := range map[string]struct {
		change func(*authenticator, *Statement, *Keys)           // before it is signed
		spoil  func(*authenticator, *Statement, *question.Proof) // after
		want   error
	}{
		"as it is":         {},
		"another record":   {spoil: func(_ *authenticator, s *Statement, _ *question.Proof) { s.ID += "x" }, want: ErrMismatch},
		"another question": {spoil: func(_ *authenticator, s *Statement, _ *question.Proof) { s.Questions[0].Text += "!" }, want: ErrMismatch},
		"another option":   {spoil: func(_ *authenticator, s *Statement, _ *question.Proof) { s.Questions[0].Options[0].Label = "No" }, want: ErrMismatch},
		"another detail":   {spoil: func(_ *authenticator, s *Statement, _ *question.Proof) { s.Questions[0].Description = "" }, want: ErrMismatch},
		"another answer": {spoil: func(_ *authenticator, s *Statement, _ *question.Proof) {
			s.Reply.Answers[0].Selected = []string{question.NoID}
		}, want: ErrMismatch},
		"another note":               {spoil: func(_ *authenticator, s *Statement, _ *question.Proof) { s.Reply.Answers[0].Note = "" }, want: ErrMismatch},
		"another asker":              {spoil: func(_ *authenticator, s *Statement, _ *question.Proof) { s.Asker.Directory = "/" }, want: ErrMismatch},
		"another time":               {spoil: func(_ *authenticator, s *Statement, _ *question.Proof) { s.At = s.At.Add(time.Nanosecond) }, want: ErrMismatch},
		"another time, said by both": {spoil: func(_ *authenticator, s *Statement, p *question.Proof) { s.At = s.At.Add(1); p.At = s.At }, want: ErrMismatch},
		"no user verification":       {change: func(a *authenticator, _ *Statement, _ *Keys) { a.flags = userPresent }, want: ErrUnverifiedUser},
		"nobody there":               {change: func(a *authenticator, _ *Statement, _ *Keys) { a.flags = userVerified }, want: ErrUnverifiedUser},
		"a registration":             {change: func(a *authenticator, _ *Statement, _ *Keys) { a.kind = "webauthn.create" }, want: ErrMismatch},
		"another page":               {change: func(a *authenticator, _ *Statement, _ *Keys) { a.origin = "https://example.org" }, want: ErrOrigin},
		"an insecure page":           {change: func(a *authenticator, _ *Statement, _ *Keys) { a.origin = "http://example.org" }, want: ErrOrigin},
		"another page's key":         {change: func(a *authenticator, _ *Statement, k *Keys) { k.Passkeys[0].Party = "example.org" }, want: ErrOrigin},
		"not trusted":                {change: func(_ *authenticator, _ *Statement, k *Keys) { k.Passkeys = nil }, want: ErrUntrusted},
		"removed":                    {change: func(_ *authenticator, s *Statement, k *Keys) { k.Passkeys[0].Removed = s.At }, want: ErrUntrusted},
		"removed later":              {change: func(_ *authenticator, s *Statement, k *Keys) { k.Passkeys[0].Removed = s.At.Add(time.Second) }},
		"another's key": {change: func(_ *authenticator, _ *Statement, k *Keys) {
			k.Passkeys[0].PublicKey = newAuthenticator(t, "other").PublicKey
		}, want: ErrSignature},
		"no signature":      {spoil: func(_ *authenticator, _ *Statement, p *question.Proof) { p.Signature = nil }, want: ErrSignature},
		"other flags":       {spoil: func(_ *authenticator, _ *Statement, p *question.Proof) { p.AuthenticatorData[flagsAt] |= 1 << 3 }, want: ErrSignature},
		"data cut off":      {spoil: func(_ *authenticator, _ *Statement, p *question.Proof) { p.AuthenticatorData = p.AuthenticatorData[:9] }, want: ErrMismatch},
		"no client data":    {spoil: func(_ *authenticator, _ *Statement, p *question.Proof) { p.ClientData = nil }, want: ErrMismatch},
		"no kind":           {spoil: func(_ *authenticator, _ *Statement, p *question.Proof) { p.Kind = "" }, want: ErrUntrusted},
		"an unknown kind":   {spoil: func(_ *authenticator, _ *Statement, p *question.Proof) { p.Kind = "ssh" }, want: ErrUntrusted},
		"as a credential's": {spoil: func(_ *authenticator, _ *Statement, p *question.Proof) { p.Kind = question.CredentialProof }, want: ErrUntrusted},
	} {
		t.Run(name, func(t *testing.T) {
			a, s := newAuthenticator(t, "laptop"), s
			s.Questions = slices.Clone(s.Questions)
			s.Questions[0].Options = slices.Clone(s.Questions[0].Options)
			s.Reply.Answers = slices.Clone(s.Reply.Answers)
			keys := Keys{Passkeys: []Passkey{a.Passkey}}
			if test.change != nil {
				test.change(a, &s, &keys)
			}
			p := a.prove(t, s)
			if test.spoil != nil {
				test.spoil(a, &s, p)
			}
			err := keys.Verify(s, p)
			if !errors.Is(err, test.want) || test.want == nil && (err != nil || p.Name != "laptop") || p.Verified != (err == nil) {
				t.Errorf("got %q, %v; want %v", p.Name, err, test.want)
			}
		})
	}
	if err := new(Keys).Verify(s, nil); !errors.Is(err, ErrNone) {
		t.Errorf("without a proof: %v", err)
	}
}

// TestRegister: a registration is kept and read back; a bad one is refused.
func TestRegister(t *testing.T) {
	a := newAuthenticator(t, "laptop")
	a.kind = "webauthn.create"
	k, err := Register("laptop", a.ID, "c", a.PublicKey, a.client("c"), a.data("localhost"))
	fatal.If(t, err)
	dir := filepath.Join(t.TempDir(), "keys")
	if err := UpdatePasskeys(dir, func(keys *Keys) error {
		keys.Passkeys = append(keys.Passkeys, k)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	keys, err := Load(dir)
	a.kind = "webauthn.get"
	s := statement(question.Text)
	p := a.prove(t, s)
	if bad := keys.Verify(s, p); err != nil || bad != nil || p.Name != "laptop" {
		t.Errorf("%q, %v, %v", p.Name, err, bad)
	}
	a.kind, a.flags = "webauthn.create", userPresent
	for _, bad := range []struct {
		public, client, data []byte
		want                 error
	}{
		{a.PublicKey, a.client("d"), a.data("localhost"), ErrMismatch},
		{a.PublicKey, a.client("c"), a.data("localhost"), ErrUnverifiedUser},
		{a.PublicKey, a.client("c"), a.data("example.org"), ErrOrigin},
	} {
		if _, err := Register("x", "x", "c", bad.public, bad.client, bad.data); !errors.Is(err, bad.want) {
			t.Errorf("got %v, want %v", err, bad.want)
		}
	}
	if _, err := Register("x", "x", "c", []byte("no key"), nil, nil); err == nil {
		t.Error("a key that is none is taken")
	}
}

// TestCredential: a human's nkey signs on a shared desk.
func TestCredential(t *testing.T) {
	pair, err := nkeys.CreateUser()
	fatal.If(t, err)
	public, err := pair.PublicKey()
	fatal.If(t, err)
	s := statement(question.MultiChoice)
	sum, _ := s.Sum()
	sig, err := pair.Sign(sum)
	fatal.If(t, err)
	p := &question.Proof{Kind: question.CredentialProof, Key: public, At: s.At, Signature: sig}
	keys := Keys{Humans: map[string]string{public: "ada"}}
	if err := keys.Verify(s, p); err != nil || p.Name != "ada" {
		t.Errorf("%q, %v", p.Name, err)
	}
	s.Reply.Answers[0].Selected = []string{"a"}
	if err := keys.Verify(s, p); !errors.Is(err, ErrSignature) {
		t.Errorf("another answer: %v", err)
	}
	if err := new(Keys).Verify(s, p); !errors.Is(err, ErrUntrusted) {
		t.Errorf("no human's: %v", err)
	}
}
