//go:build unix

package nats_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/proof"
	"mcp-askuser/question"
)

// signed signs an outcome with a credential, as its process does.
func signed(t *testing.T, rec *desk.Record, o *desk.Outcome, by *nats.Store) {
	t.Helper()
	o.At = o.At.Round(0).UTC()
	s := proof.Statement{ID: rec.ID, Prove: rec.Prove, Questions: rec.Questions, At: o.At, Asker: proof.Asker{
		Client: rec.Asker.Client, Directory: rec.Asker.Directory, Agent: rec.Asker.Agent, Session: rec.SessionID,
	}}
	if o.Reply == nil {
		s.Status = string(o.Status)
	} else {
		s.Reply = *o.Reply
	}
	sum, err := s.Sum()
	if err != nil {
		t.Fatal(err)
	}
	key, signature, err := by.Sign(t.Context(), rec.ID, sum)
	if err != nil || key == "" {
		t.Fatalf("sign as %q: %v", key, err)
	}
	o.Credential = &question.Proof{Kind: question.CredentialProof, Key: key, At: o.At, Signature: signature}
}

// Invariant: on three nodes, an outcome under a human's name counts only with that human's
// signature over this very answer, even where the operator's credential has put it there; not
// for one who waits, one who looks, or in the archive.
func TestOnlySignedOutcomesCount(t *testing.T) {
	r := newRigOn(t, 3)
	alice, bob := r.Open(natstest.Account, nodes.Human, "alice"), r.Open(natstest.Account, nodes.Human, "bob")
	elsewhere, bot := r.Open(natstest.Another, nodes.Human, "alice"), c(t, r, "bot")
	agent := c(t, r, "bot") // signs, as it is not connected
	for name, tc := range map[string]struct {
		by     *nats.Store
		before func(*desk.Record, *desk.Outcome)
		spoil  func(*desk.Outcome)
		role   string
		want   desk.Status
	}{
		"signed":                  {by: alice, want: desk.Answered},
		"unsigned":                {},
		"by another human":        {by: bob},
		"by an agent":             {by: agent},
		"by a namesake elsewhere": {by: elsewhere},
		"as another human's":      {by: alice, role: "human.bob"},
		"as the asker's":          {by: alice, role: "asker.bot"},
		"with another answer":     {by: alice, spoil: func(o *desk.Outcome) { o.Reply.Answers[0].Selected = []string{"b"} }},
		"with a note":             {by: alice, spoil: func(o *desk.Outcome) { o.Reply.Note = "and more" }},
		"at another time":         {by: alice, spoil: func(o *desk.Outcome) { o.At = o.At.Add(1); o.Credential.At = o.At }},
		"for another question": {by: alice, before: func(rec *desk.Record, _ *desk.Outcome) {
			rec.Questions = []question.Question{rec.Questions[0]}
			rec.Questions[0].Text = "x"
		}},
		"for another record":          {by: alice, before: func(rec *desk.Record, _ *desk.Outcome) { rec.ID = desk.FirstID(time.Now()) }},
		"for another asker":           {by: alice, before: func(rec *desk.Record, _ *desk.Outcome) { rec.Asker.Directory = "/elsewhere" }},
		"with the key of another":     {by: bob, spoil: func(o *desk.Outcome) { o.Credential.Key = keyOf(t, alice) }},
		"as of another kind":          {by: alice, spoil: func(o *desk.Outcome) { o.Credential.Kind = question.PasskeyProof }},
		"as the proof alone":          {by: alice, spoil: func(o *desk.Outcome) { o.Proof, o.Credential = o.Credential, nil }},
		"a program's, as the user's":  {by: alice, before: func(_ *desk.Record, o *desk.Outcome) { o.Reply.Answers[0].By = question.ByProgram }},
		"a dismissal, unsigned":       {spoil: func(o *desk.Outcome) { o.Status, o.Reply = desk.Dismissed, &question.Reply{Dismissed: true} }},
		"a dismissal, signed as yes":  {by: alice, spoil: func(o *desk.Outcome) { o.Status, o.Reply = desk.Dismissed, &question.Reply{Dismissed: true} }},
		"a withdrawal":                {by: alice, before: func(_ *desk.Record, o *desk.Outcome) { o.Status, o.Reply = desk.Cancelled, nil }, want: desk.Cancelled},
		"a withdrawal, unsigned":      {spoil: func(o *desk.Outcome) { o.Status, o.Reply = desk.Cancelled, nil }},
		"a withdrawal, signed as yes": {by: alice, spoil: func(o *desk.Outcome) { o.Status, o.Reply = desk.Cancelled, nil }},
		"the user's, as a program's":  {by: alice, spoil: func(o *desk.Outcome) { o.Answerer.Kind, o.Answerer.How = desk.ProgramAnswerer, desk.HowCommand }},
		"with the signature cut off":  {by: alice, spoil: func(o *desk.Outcome) { o.Credential.Signature = o.Credential.Signature[:32] }},
		"signed, beside a false one":  {by: alice, spoil: func(o *desk.Outcome) { o.Proof = &question.Proof{Kind: question.PasskeyProof, Key: "x", At: o.At} }, want: desk.Answered},
		"signed, by a false passkey":  {spoil: func(o *desk.Outcome) { o.Proof = &question.Proof{Kind: question.PasskeyProof, Key: "x", At: o.At} }},
		"signed, under a wrong name":  {by: alice, spoil: func(o *desk.Outcome) { o.Credential.Name = "bob" }, want: desk.Answered},
		"verified, as it says itself": {spoil: func(o *desk.Outcome) {
			o.Credential = &question.Proof{Kind: question.CredentialProof, At: o.At, Verified: true}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			rec := asks(t, r.asking, request(name))
			o := forged(&rec)
			shown := rec
			if tc.before != nil {
				tc.before(&shown, &o)
			}
			if tc.by != nil {
				signed(t, &shown, &o, tc.by)
			}
			if tc.spoil != nil {
				tc.spoil(&o)
			}
			role := tc.role
			if role == "" {
				role = "human.alice"
			}
			r.put("_R_.ask.end.bot."+rec.ID+"."+role, o)
			check := func(what string, got desk.Record) {
				t.Helper()
				switch tc.want {
				case desk.Answered:
					if p := got.Outcome.Credential; got.State != desk.Answered || p == nil || !p.Verified || p.Name != "alice" || got.Outcome.Proof != nil {
						t.Errorf("%s: %s, signed with %+v", what, got.State, p)
					}
				case "":
					if got.State != desk.Failed || got.Reply() != nil {
						t.Errorf("%s: %s %+v", what, got.State, got.Outcome)
					}
				default:
					if got.State != tc.want || !got.Outcome.Credential.Verified {
						t.Errorf("%s: %s %+v", what, got.State, got.Outcome)
					}
				}
			}
			check("who waits", r.ends(t, r.asking, rec.ID))
			check("who looks", r.ends(t, r.bob, rec.ID))
			archived := rec
			archived.State, archived.Outcome = o.Status, &o
			r.put("_R_.past.docs.bot."+desk.MonthOf(rec.ID)+"."+rec.ID+".bot", archived)
			for _, kind := range []desk.Kind{desk.KindPending, desk.KindReplies} {
				if err := bot.Delete(t.Context(), kind, rec.ID); err != nil {
					t.Fatal(err)
				}
			}
			got, err := r.bob.Get(t.Context(), rec.ID)
			if err != nil {
				t.Fatal(err)
			}
			check("the archive", got)
		})
	}
}

func keyOf(t *testing.T, s *nats.Store) string {
	t.Helper()
	key, _, err := s.Sign(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// An answer is refused where no asker would take it: of a human whose key the operator has
// not listed. Once listed, it counts. What is older than the list needs no signature.
func TestUnlistedHuman(t *testing.T) {
	r := newRig(t)
	operator := r.Open(natstest.Account, nodes.Operator, "")
	rules, err := operator.Rules(t.Context(), "")
	if err != nil || len(rules.Humans) != 2 {
		t.Fatalf("%+v, %v", rules, err)
	}
	rec := asks(t, r.asking, request("Which?"))
	only := rules
	only.Humans = map[string]string{keyOf(t, r.Open(natstest.Account, nodes.Human, "bob")): "bob"}
	if err := nats.SetRules(operator, t.Context(), only); err != nil {
		t.Fatal(err)
	}
	if _, err := r.alice.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); !errors.Is(err, desk.ErrDenied) || !strings.Contains(err.Error(), "desk create") {
		t.Errorf("unlisted: %v", err)
	}
	if got, err := r.bob.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending {
		t.Errorf("it is %s, %v", got.State, err)
	}
	if err := operator.Trust(t.Context(), rules.Humans, ""); err != nil {
		t.Fatal(err)
	}
	natstest.Await(t, func() error {
		_, err := r.alice.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage})
		return err
	})
	if got := r.ends(t, r.asking, rec.ID); got.State != desk.Answered || got.Outcome.Credential == nil || got.Outcome.Credential.Name != "alice" {
		t.Errorf("listed: %+v", got.Outcome)
	}
	old := asks(t, r.asking, request("Old?"))
	r.put("_R_.ask.end.bot."+old.ID+".human.alice", forged(&old))
	later := rules
	later.Since = desk.FirstID(time.Now().Add(time.Hour))
	if err := nats.SetRules(operator, t.Context(), later); err != nil {
		t.Fatal(err)
	}
	natstest.Await(t, func() error {
		got, err := r.bob.Get(t.Context(), old.ID)
		if err == nil && (got.State != desk.Answered || got.Outcome.Proof != nil) {
			err = fmt.Errorf("one that is older than the list is %s", got.State)
		}
		return err
	})
}

// The policy of a desk holds for each of its askers and answerers. A human's credential is
// proof enough, unless their own setting wants a key that asks them.
func TestPolicyOfTheDesk(t *testing.T) {
	r := newRig(t)
	if err := r.Open(natstest.Account, nodes.Operator, "").Trust(t.Context(), nil, desk.ProveConfirm); err != nil {
		t.Fatal(err)
	}
	page := desk.Evidence{Surface: "web", How: desk.HowPage}
	rec := asks(t, r.asking, confirmation("Which?"))
	if !rec.Prove {
		t.Fatal("the asker does not know the policy")
	}
	strict := desk.New(r.Open(natstest.Account, nodes.Human, "bob"), desk.Options{Prove: desk.ProveConfirm})
	if _, err := strict.Reply(t.Context(), rec.ID, says(question.YesID), page); !strict.RequiresPasskey(&rec) || !errors.Is(err, desk.ErrProofRequired) {
		t.Errorf("against one's own setting: %v", err)
	}
	if _, err := r.alice.Reply(t.Context(), rec.ID, says(question.YesID), desk.Evidence{Surface: "cli", How: desk.HowCommand}); !errors.Is(err, desk.ErrUserRequired) {
		t.Errorf("a program: %v", err)
	}
	phone := desk.Evidence{Surface: "phone", How: desk.HowPhone}
	if _, err := r.alice.Reply(t.Context(), rec.ID, says(question.YesID), phone); !errors.Is(err, desk.ErrProofRequired) {
		t.Errorf("on a surface that need not show it whole: %v", err)
	}
	if _, err := r.alice.Reply(t.Context(), rec.ID, says(question.YesID), page); r.alice.RequiresPasskey(&rec) || err != nil {
		t.Errorf("a credential: %v", err)
	}
	got := r.ends(t, desk.New(c(t, r, "bot"), desk.Options{Prove: desk.ProveConfirm}), rec.ID)
	if p := got.Outcome.Proof; got.State != desk.Answered || p == nil || !p.Verified {
		t.Errorf("it is %s, with the proof %+v", got.State, p)
	}
	rules, err := c(t, r, "bot").Rules(t.Context(), rec.ID)
	if err != nil {
		t.Fatal(err)
	}
	humans := rules.Humans
	if err := got.VerifyProof(&proof.Keys{Humans: humans}); err != nil {
		t.Errorf("offline: %v", err)
	}
	if err := got.VerifyProof(&proof.Keys{}); !errors.Is(err, proof.ErrUntrusted) {
		t.Errorf("offline, without its key: %v", err)
	}
}

// A human who withdraws what an agent asked signs that too.
func TestWithdrawalIsSigned(t *testing.T) {
	r := newRigOn(t, 1)
	rec := asks(t, r.asking, request("withdrawn"))
	human := desk.New(r.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	if _, err := human.Close(t.Context(), rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: "not needed"}); err != nil {
		t.Fatal(err)
	}
	got, err := r.asking.Wait(t.Context(), rec.ID)
	if err != nil || got.State != desk.Cancelled || got.Outcome.Credential == nil || !got.Outcome.Credential.Verified || got.Outcome.Credential.Name != "alice" {
		t.Errorf("%s %+v, %v", got.State, got.Outcome, err)
	}
}
