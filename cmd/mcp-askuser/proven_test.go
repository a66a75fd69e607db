//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// liar is an agent that wants a proven yes: it has the user's shell, store, page and
// terminals, and not the private keys.
type liar struct {
	*signer
	rec   desk.Record // what it asked
	store *local.Store
	user  *desk.Desk // as a surface of the user's has it
	asks  func(tool, args string) <-chan map[string]any
	got   <-chan map[string]any // nil once it was read
	spoil func([]byte) []byte   // of the outcome that it forges; nil for none
}

func newLiar(t *testing.T) *liar {
	x := &liar{signer: newSigner(t)}
	store := desktest.Store(t, x.dir)
	keys, err := proof.Load(filepath.Join(x.dir, keysDir))
	x.check(err)
	x.store, x.user = store, desk.New(store, desk.Options{Prove: desk.ProveConfirm, Keys: trusting(keys)})
	var c *client.Client
	x.asks = func(tool, args string) <-chan map[string]any {
		if c == nil {
			c = connectTo(t, eras[0], x.program("serve", "--surface", "inbox"), nil)
		}
		return asks(t, c, tool, args)
	}
	x.got = x.asks("confirm_action", `{"action":"rm -r build"}`)
	x.rec = openRecord(t, x.user)
	return x
}

func choose(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}, By: question.ByUser}}}
}

// forge stores an outcome as the user's, past the desk, and returns the record with it.
func (x *liar) forge(r question.Reply, p *question.Proof, changes ...func(*desk.Outcome)) desk.Record {
	x.t.Helper()
	rec := x.rec
	rec.State = desk.StatusOf(r)
	rec.Outcome = &desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: rec.State, Reply: &r, Surface: "web",
		At: time.Now().UTC(), Answerer: &desk.Answerer{Kind: desk.UserAnswerer, How: desk.HowPage}, Proof: p}
	if p != nil {
		rec.Outcome.At = p.At
	}
	for _, change := range changes {
		change(rec.Outcome)
	}
	data, err := json.Marshal(rec.Outcome)
	x.check(err)
	if x.spoil != nil {
		data = x.spoil(data)
	}
	x.check(x.store.Answer(x.t.Context(), rec.ID, store.Ending{Outcome: data}))
	return rec
}

// edit changes the question in the store.
func (x *liar) edit(change func(*desk.Record)) {
	x.t.Helper()
	x.rec.Attended, x.rec.ShownOn = false, nil
	change(&x.rec)
	data, err := json.Marshal(x.rec)
	x.check(err)
	desktest.Overwrite(x.t, x.dir, x.rec.ID, desktest.Asked, func([]byte) []byte { return data })
}

// signed has the user answer with the passkey.
func (x *liar) signed(option string) {
	x.t.Helper()
	_, err := x.user.Reply(x.t.Context(), x.rec.ID, x.passkey.Sign(&x.rec, choose(option), time.Now()),
		desk.Evidence{Surface: "web", How: desk.HowPage})
	x.check(err)
}

// stillOpen checks that nothing has ended the question, and dismisses it.
func (x *liar) stillOpen() {
	x.t.Helper()
	if now, err := x.user.Get(x.t.Context(), x.rec.ID); err != nil || now.Outcome != nil {
		x.t.Errorf("it ended: %+v, %v", now.Outcome, err)
	}
	_, err := x.user.Reply(x.t.Context(), x.rec.ID, question.Reply{Dismissed: true},
		desk.Evidence{Surface: "web", How: desk.HowPage})
	x.check(err)
	<-x.got
}

// refused runs the program, which is to fail.
func (x *liar) refused(env []string, args ...string) desk.Record {
	x.t.Helper()
	cmd := x.program(args...)
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err == nil {
		x.t.Errorf("%s: %s", strings.Join(args, " "), out)
	}
	return desk.Record{}
}

// TestNoForgedProof: an agent with the user's shell, store, page and terminals, and without
// the private keys, gets no yes where a proof is required, and none that a verifier takes.
// This process is the agent's host.
func TestNoForgedProof(t *testing.T) {
	yes := choose(question.YesID)
	for name, attack := range map[string]struct {
		said string // by verify, of what the agent shows as its proof
		do   func(*liar) desk.Record
	}{
		"answer --json": {"not answered", func(x *liar) desk.Record {
			return x.refused(nil, "answer", x.rec.ID, "--json", `{"q1":true}`)
		}},
		"a front end that the user enrolled": {"not answered", func(x *liar) desk.Record {
			s := startWeb(t, x.program("web"))
			s.address.RawQuery = url.Values{"token": {frontEndToken(t,
				x.program("token", "add", "panel", "--answers"))}}.Encode()
			if status, out := s.call(t, "POST", "/api/task/answer",
				`{"id":"`+x.rec.ID+`","answers":{"q1":true}}`); status != http.StatusForbidden {
				t.Errorf("%d %s", status, out)
			}
			return desk.Record{}
		}},
		"the user signs another text": {`the action is "Tidy up?", and not "rm -r build"`, func(x *liar) desk.Record {
			x.edit(func(rec *desk.Record) {
				rec.Questions = slices.Clone(rec.Questions)
				rec.Questions[0].Text, rec.Questions[0].Description = "Tidy up?", ""
			})
			return x.forge(yes, prove(x.passkey, &x.rec, yes, time.Now().UTC()))
		}},
		"the archive, after a signed no": {"another question, answer or time", func(x *liar) desk.Record {
			x.signed(question.NoID)
			if got := <-x.got; got["response"] != false {
				t.Errorf("the user's no is %v", got)
			}
			x.got = nil
			rec, err := x.user.Get(t.Context(), x.rec.ID)
			x.check(err)
			*rec.Outcome.Reply = choose(question.YesID)
			data, err := json.Marshal(rec.Outcome)
			x.check(err)
			desktest.Overwrite(t, x.dir, rec.ID, desktest.Outcome, func([]byte) []byte { return data })
			return rec
		}},
		"ASK_PROVE=none in its environment": {"not answered", func(x *liar) desk.Record {
			return x.refused([]string{"ASK_PROVE=none"}, "answer", x.rec.ID, "--json", `{"q1":true}`)
		}},
		"keys of its own, given to verify": {"not among those that are trusted", func(x *liar) desk.Record {
			own, file := prooftest.New("own"), filepath.Join(t.TempDir(), "keys.json")
			x.trust(file, own)
			rec := x.forge(yes, prove(own, &x.rec, yes, time.Now()))
			verifier := x.program("verify", x.export(rec), "--keys", file)
			if out, err := verifier.CombinedOutput(); err != nil { // else the other refusals prove nothing
				t.Errorf("with its own keys: %v %s", err, out)
			}
			return rec
		}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newLiar(t)
			shown := attack.do(x)
			now, err := x.user.Get(t.Context(), x.rec.ID)
			x.check(err)
			if now.Outcome == nil {
				now, err = x.user.Reply(t.Context(), x.rec.ID, question.Reply{Dismissed: true},
					desk.Evidence{Surface: "web", How: desk.HowPage})
				x.check(err)
			}
			if x.got == nil {
				x.got = x.asks("await_answer", `{"id":"`+x.rec.ID+`"}`)
			}
			if got := <-x.got; got["status"] == "answered" || got["response"] == true {
				t.Errorf("it is delivered: %v", got)
			}
			if shown.ID == "" {
				shown = now
			}
			status, out := x.verify(x.export(shown), "--action", "rm -r build")
			if status != exitBad || !strings.Contains(out, attack.said) {
				t.Errorf("verify: %d, %s; want %q", status, out, attack.said)
			}
			if status, out := x.verify(x.rec.ID, "--action", "rm -r build"); status != exitBad {
				t.Errorf("verify %s: %d, %s", x.rec.ID, status, out)
			}
		})
	}
}
