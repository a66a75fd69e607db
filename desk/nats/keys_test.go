//go:build unix

package nats_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
)

var byPage = desk.Evidence{Surface: "web", How: desk.HowPage}

// device is what a human signs with, beside their credential: a passkey or an SSH key.
type device struct {
	keys proof.Keys
	sign func(sum []byte) *question.Proof
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func newPasskey(name string) device {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	id := rand.Text()
	k := proof.Passkey{Name: name, ID: id, Party: "localhost", PublicKey: must(x509.MarshalPKIXPublicKey(&key.PublicKey)), Created: time.Now().UTC()}
	return device{proof.Keys{Passkeys: []proof.Passkey{k}}, func(sum []byte) *question.Proof {
		party := sha256.Sum256([]byte("localhost"))
		authenticator := append(party[:], 5, 0, 0, 0, 0) // the user was there, and verified
		client := fmt.Appendf(nil, `{"type":"webauthn.get","challenge":%q,"origin":"http://localhost:8080"}`, proof.Challenge(sum))
		inner := sha256.Sum256(client)
		signed := sha256.Sum256(append(slices.Clone(authenticator), inner[:]...))
		return &question.Proof{Kind: question.PasskeyProof, Key: id, ClientData: client, AuthenticatorData: authenticator, Signature: must(ecdsa.SignASN1(rand.Reader, key, signed[:]))}
	}}
}

func newSSHKey(name string) device {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	key := must(ssh.NewSignerFromKey(must(private, err)))
	return device{proof.Keys{Signers: []proof.Signer{{Principals: name, Key: key.PublicKey().Marshal()}}}, func(sum []byte) *question.Proof {
		sig := must(sshsig.Sign(bytes.NewReader(sum), key, sshsig.HashSHA512, proof.Namespace))
		return &question.Proof{Kind: question.SSHProof, Key: ssh.FingerprintSHA256(key.PublicKey()), Signature: sshsig.Armor(sig)}
	}}
}

// signs returns a reply that the device has signed at a time.
func (d device) signs(rec desk.Record, r question.Reply, at time.Time) question.Reply {
	at = at.UTC().Round(0)
	r.Proof = d.sign(must(must(rec.ProofStatement(r, at)).Sum()))
	r.Proof.At = at
	return r
}

// trust has a human put a device's keys on the desk.
func trust(t *testing.T, human *nats.Store, d device) {
	t.Helper()
	_, err := human.Keys(t.Context(), "", func(keys *proof.Keys) error {
		keys.Passkeys, keys.Signers = append(keys.Passkeys, d.keys.Passkeys...), append(keys.Signers, d.keys.Signers...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// proven asks a question that needs a proof.
func proven(t *testing.T, d *desk.Desk) desk.Record {
	r := request(rand.Text())
	r.Prove = true
	return asks(t, d, r)
}

// Invariant: on three nodes a human's passkeys and SSH keys count for what the human
// answers, in the human's name, for every asker and reader, and for no other human's answers.
func TestKeysOfHumans(t *testing.T) {
	r := newRigOn(t, 3)
	credential := func(name string) *nats.Store { return r.Open(natstest.Account, nodes.Human, name) }
	alice, bob := credential("alice"), credential("bob")
	strict := desk.New(alice, desk.Options{Prove: desk.ProveAll, Keys: func(func(*proof.Keys) error) (proof.Keys, error) {
		return proof.Keys{}, errors.New("the keys beside the store are read")
	}})
	stolen := newPasskey("laptop")
	stolen.keys.Humans = map[string]string{keyOf(t, bob): "alice"}
	devices := map[string]device{"alice/laptop": newPasskey("laptop"), "alice/alice@laptop": newSSHKey("alice@laptop")}
	foreign := map[string]device{"bob/laptop": newPasskey("laptop"), "bob/alice/laptop": newSSHKey("alice/laptop")}
	for _, d := range devices {
		trust(t, alice, d)
		trust(t, bob, device{keys: d.keys}) // which takes nothing from alice
	}
	for _, d := range foreign {
		trust(t, bob, d)
	}
	for subject, d := range map[string]device{
		"human-alice.trusted.human-bob": newPasskey("planted"), "human-alice.trusted.bot": newPasskey("planted"), "bot.trusted.bot": newPasskey("planted"),
	} {
		r.put("_R_.ask.keys."+subject, d.keys)
		rec := proven(t, r.asking)
		if _, err := strict.Reply(t.Context(), rec.ID, d.signs(rec, says("a"), time.Now()), byPage); !errors.Is(err, proof.ErrUntrusted) {
			t.Errorf("with a key in %s: %v", subject, err)
		}
	}
	for name, d := range devices {
		rec := proven(t, r.asking)
		if _, err := strict.Reply(t.Context(), rec.ID, d.signs(rec, says("a"), time.Now()), byPage); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		check := func(reader string, got desk.Record, err error) {
			t.Helper()
			if err != nil || got.State != desk.Answered || !got.Outcome.Proof.Verified || got.Outcome.Proof.Name != name || got.Outcome.Proof.Kind == question.CredentialProof {
				t.Errorf("%s reads %s, %v, with the proof %+v", reader, got.State, err, got.Outcome.Proof)
			}
		}
		check("the asker", r.ends(t, r.asking, rec.ID), nil)
		got, err := r.bob.Get(t.Context(), rec.ID)
		check("bob", got, err)
		if err := r.asking.Archive(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
		got, err = r.bob.Get(t.Context(), rec.ID)
		check("bob, in the archive,", got, err)
	}
	for name, d := range foreign {
		rec := proven(t, r.asking)
		reply := d.signs(rec, says("a"), time.Now())
		if _, err := strict.Reply(t.Context(), rec.ID, reply, byPage); !errors.Is(err, desk.ErrProofRequired) || !strings.Contains(err.Error(), "another human than the one who answered: bob") {
			t.Errorf("with %s: %v", name, err)
		}
		o := forged(&rec)
		o.Proof, o.At = reply.Proof, reply.Proof.At
		reply.Proof = nil
		signed(t, &rec, &o, alice)
		r.put("_R_.ask.end.bot."+rec.ID+".human.alice", o)
		if got := r.ends(t, r.asking, rec.ID); got.State != desk.Failed || !strings.Contains(got.Outcome.Reason, "another human") {
			t.Errorf("with %s in the store: %s %+v", name, got.State, got.Outcome)
		}
	}
	rec := proven(t, r.asking)
	if _, err := strict.Reply(t.Context(), rec.ID, stolen.signs(rec, says("a"), time.Now()), byPage); !errors.Is(err, proof.ErrUntrusted) {
		t.Errorf("with a key of nobody's: %v", err)
	}
	trust(t, bob, stolen)
	if all, err := r.asking.Keys(t.Context(), rec.ID, nil); err != nil || len(all["bob"].Passkeys) == 0 || all["bob"].Humans != nil {
		t.Errorf("bob names credentials: %+v, %v", all["bob"], err)
	}
}

// A removed passkey keeps what it has signed, and signs no more.
func TestRemovedKey(t *testing.T) {
	r := newRig(t)
	alice := r.Open(natstest.Account, nodes.Human, "alice")
	strict := desk.New(alice, desk.Options{Prove: desk.ProveAll})
	laptop := newPasskey("laptop")
	trust(t, alice, laptop)
	before, after := proven(t, r.asking), proven(t, r.asking)
	if _, err := strict.Reply(t.Context(), before.ID, laptop.signs(before, says("a"), time.Now()), byPage); err != nil {
		t.Fatal(err)
	}
	if _, err := alice.Keys(t.Context(), "", func(keys *proof.Keys) error {
		keys.Passkeys[0].Removed = time.Now().UTC()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := strict.Reply(t.Context(), after.ID, laptop.signs(after, says("a"), time.Now()), byPage); !errors.Is(err, proof.ErrUntrusted) {
		t.Errorf("removed: %v", err)
	}
	if got := r.ends(t, r.asking, before.ID); got.State != desk.Answered || got.Outcome.Proof.Name != "alice/laptop" {
		t.Errorf("signed before: %s %+v", got.State, got.Outcome)
	}
}

// Of two processes that register at once neither undoes the other.
func TestKeysOfTwoProcesses(t *testing.T) {
	r := newRig(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { trust(t, r.Open(natstest.Account, nodes.Human, "alice"), newPasskey(fmt.Sprint(i))) })
	}
	all.Wait()
	if all, err := r.asking.Keys(t.Context(), "", nil); err != nil || len(all["alice"].Passkeys) != 8 {
		t.Errorf("%d, %v", len(all["alice"].Passkeys), err)
	}
}

// An agent has no keys; and the credential of a human on nodes of an earlier version says
// what is to be done.
func TestWhoHasKeys(t *testing.T) {
	r := newRig(t)
	nothing := func(*proof.Keys) error { return nil }
	if _, err := c(t, r, "bot").Keys(t.Context(), "", nothing); !errors.Is(err, desk.ErrDenied) || !strings.Contains(err.Error(), "agent bot") {
		t.Errorf("an agent: %v", err)
	}
	file := filepath.Join(r.Dir, r.Nodes[0].Name, "nats.conf")
	config := must(os.ReadFile(file))
	earlier := bytes.ReplaceAll(config, []byte(`"_R_.ask.keys.human-alice.trusted.human-alice", `), nil)
	if bytes.Equal(config, earlier) {
		t.Fatalf("%s", config)
	}
	r.Kill(0)
	if err := os.WriteFile(file, earlier, 0o600); err != nil {
		t.Fatal(err)
	}
	r.Restart(0)
	alice := r.Open(natstest.Account, nodes.Human, "alice")
	natstest.Await(t, func() error { return alice.Ping(t.Context()) })
	if _, err := alice.Keys(t.Context(), "", nothing); !errors.Is(err, desk.ErrDenied) || !strings.Contains(err.Error(), "desk init") {
		t.Errorf("on earlier nodes: %v", err)
	}
	data := must(json.Marshal(newPasskey("laptop").keys))
	says := make(chan error, 10)
	subject := "_R_.ask.keys.human-alice.trusted.human-alice"
	refusedBy(t, says, r.Connect(natstest.Account, nodes.Human, "alice", says).Publish(subject, data), subject)
}
