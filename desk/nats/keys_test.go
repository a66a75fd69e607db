//go:build unix

package nats_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/question"
)

var byPage = desk.Evidence{Surface: "web", How: desk.HowPage}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// trust has a human put a passkey on the desk.
func trust(t *testing.T, human *nats.Store, key prooftest.Passkey) {
	t.Helper()
	_, err := human.Keys(t.Context(), "", func(keys *proof.Keys) error {
		keys.Passkeys = append(keys.Passkeys, key.Passkey)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// proven asks a question that needs a proof.
func proven(t *testing.T, d *desk.Desk) desk.Record {
	r := confirmation(rand.Text())
	r.Prove = true
	return asks(t, d, r)
}

// Invariant: on three nodes a human's passkeys count for what the human
// answers, in the human's name, for every asker and reader, and for no other human's answers.
func TestKeysOfHumans(t *testing.T) {
	r := newRigOn(t, 3)
	credential := func(name string) *nats.Store { return r.Open(natstest.Account, nodes.Human, name) }
	alice, bob := credential("alice"), credential("bob")
	strict := desk.New(alice, desk.Options{Prove: desk.ProveConfirm, Keys: func(func(*proof.Keys) error) (proof.Keys, error) {
		return proof.Keys{}, errors.New("the keys beside the store are read")
	}})
	stolen := prooftest.New("laptop")
	devices := map[string]prooftest.Passkey{"alice/laptop": prooftest.New("laptop"), "alice/phone": prooftest.New("phone")}
	foreign := map[string]prooftest.Passkey{"bob/laptop": prooftest.New("laptop"), "bob/alice/laptop": prooftest.New("alice/laptop")}
	for _, d := range devices {
		trust(t, alice, d)
		trust(t, bob, d) // which takes nothing from alice
	}
	for _, d := range foreign {
		trust(t, bob, d)
	}
	for subject, d := range map[string]prooftest.Passkey{
		"human-alice.trusted.human-bob": prooftest.New("planted"), "human-alice.trusted.bot": prooftest.New("planted"), "bot.trusted.bot": prooftest.New("planted"),
	} {
		r.put("_R_.ask.keys."+subject, proof.Keys{Passkeys: []proof.Passkey{d.Passkey}})
		rec := proven(t, r.asking)
		if _, err := strict.Reply(t.Context(), rec.ID, d.Sign(&rec, says(question.YesID), time.Now()), byPage); !errors.Is(err, proof.ErrUntrusted) {
			t.Errorf("with a key in %s: %v", subject, err)
		}
	}
	for name, d := range devices {
		rec := proven(t, r.asking)
		if _, err := strict.Reply(t.Context(), rec.ID, d.Sign(&rec, says(question.YesID), time.Now()), byPage); err != nil {
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
		reply := d.Sign(&rec, says(question.YesID), time.Now())
		if _, err := strict.Reply(t.Context(), rec.ID, reply, byPage); !errors.Is(err, desk.ErrProofRequired) || !strings.Contains(err.Error(), "another human than the one who answered: bob") {
			t.Errorf("with %s: %v", name, err)
		}
		o := forged(&rec)
		o.Reply.Answers[0].Selected = []string{question.YesID}
		o.Proof, o.At = reply.Proof, reply.Proof.At
		reply.Proof = nil
		signed(t, &rec, &o, alice)
		r.put("_R_.ask.end.bot."+rec.ID+".human.alice", o)
		if got := r.ends(t, r.asking, rec.ID); got.State != desk.Failed || !strings.Contains(got.Outcome.Reason, "another human") {
			t.Errorf("with %s in the store: %s %+v", name, got.State, got.Outcome)
		}
	}
	rec := proven(t, r.asking)
	if _, err := strict.Reply(t.Context(), rec.ID, stolen.Sign(&rec, says(question.YesID), time.Now()), byPage); !errors.Is(err, proof.ErrUntrusted) {
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
	strict := desk.New(alice, desk.Options{Prove: desk.ProveConfirm})
	laptop := prooftest.New("laptop")
	trust(t, alice, laptop)
	before, after := proven(t, r.asking), proven(t, r.asking)
	if _, err := strict.Reply(t.Context(), before.ID, laptop.Sign(&before, says(question.YesID), time.Now()), byPage); err != nil {
		t.Fatal(err)
	}
	if _, err := alice.Keys(t.Context(), "", func(keys *proof.Keys) error {
		keys.Passkeys[0].Removed = time.Now().UTC()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := strict.Reply(t.Context(), after.ID, laptop.Sign(&after, says(question.YesID), time.Now()), byPage); !errors.Is(err, proof.ErrUntrusted) {
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
		all.Go(func() { trust(t, r.Open(natstest.Account, nodes.Human, "alice"), prooftest.New(fmt.Sprint(i))) })
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
	data := must(json.Marshal(proof.Keys{Passkeys: []proof.Passkey{prooftest.New("laptop").Passkey}}))
	says := make(chan error, 10)
	subject := "_R_.ask.keys.human-alice.trusted.human-alice"
	refusedBy(t, says, r.Connect(natstest.Account, nodes.Human, "alice", says).Publish(subject, data), subject)
}
