//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/proof"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

func choose(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}, By: question.ByUser}}}
}

// userDesk is the desk as a surface of the signer's has it.
func (s *signer) userDesk() *desk.Desk {
	s.t.Helper()
	keys, err := proof.Load(filepath.Join(s.dir, keysDir))
	s.check(err)
	return desk.New(desktest.Store(s.t, s.dir), desk.Options{Prove: desk.ProveConfirm, Keys: trusting(keys)})
}

// signed has the user answer with the passkey.
func (s *signer) signed(d *desk.Desk, rec *desk.Record, option string) {
	s.t.Helper()
	reply := s.passkey.Sign(rec, choose(option), time.Now())
	_, err := d.Reply(s.t.Context(), rec.ID, reply, desk.Evidence{Surface: "web", How: desk.HowPage})
	s.check(err)
}

// TestNoForgedProof: an agent with the user's shell, store, page and terminals, and without the
// private keys, gets no yes where a proof is required, and none that a verifier takes.
func TestNoForgedProof(t *testing.T) {
	for name, attack := range map[string]func(t *testing.T, s *signer, d *desk.Desk, rec desk.Record){
		"a command, with another setting": func(t *testing.T, s *signer, _ *desk.Desk, rec desk.Record) {
			cmd := s.program("answer", rec.ID, "--json", `{"q1":true}`)
			cmd.Env = append(cmd.Env, "ASK_PROVE=none")
			if out, err := cmd.CombinedOutput(); err == nil {
				t.Errorf("%s", out)
			}
		},
		"a terminal, which has no key": func(t *testing.T, s *signer, _ *desk.Desk, rec desk.Record) {
			x := termtest.Start(t, s.program("answer", rec.ID), 80, 24)
			if status := x.Wait(); status != exitBad || !strings.Contains(x.Output(), "on the page") {
				t.Errorf("%d: %s", status, x.Output())
			}
		},
		"a front end that the user enrolled": func(t *testing.T, s *signer, _ *desk.Desk, rec desk.Record) {
			page := startWeb(t, s.program("web"))
			token := frontEndToken(t, s.program("token", "add", "panel", "--answers"))
			page.address.RawQuery = url.Values{"token": {token}}.Encode()
			status, out := page.call(t, "POST", "/api/task/answer", `{"id":"`+rec.ID+`","answers":{"q1":true}}`)
			if status != http.StatusForbidden {
				t.Errorf("%d %s", status, out)
			}
		},
		"the store, after a signed no": func(t *testing.T, s *signer, d *desk.Desk, rec desk.Record) {
			s.signed(d, &rec, question.NoID)
			now, err := d.Get(t.Context(), rec.ID)
			s.check(err)
			*now.Outcome.Reply = choose(question.YesID)
			data, err := json.Marshal(now.Outcome)
			s.check(err)
			desktest.Overwrite(t, s.dir, rec.ID, desktest.Outcome, func([]byte) []byte { return data })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSigner(t)
			d := s.userDesk()
			c := connectTo(t, eras[0], s.program("serve", "--surface", "inbox"), nil)
			result := asks(t, c, "confirm_action", `{"action":"rm -r build"}`)
			rec := openRecord(t, d)
			attack(t, s, d, rec)
			now, err := d.Get(t.Context(), rec.ID)
			s.check(err)
			if now.Outcome == nil {
				_, err = d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, onPage)
				s.check(err)
			}
			if got := <-result; got["status"] == "answered" && got["response"] == true {
				t.Errorf("it is delivered: %v", got)
			}
			if status, out := s.verify(rec.ID, "--action", "rm -r build"); status != exitBad {
				t.Errorf("verify: %d, %s", status, out)
			}
		})
	}
}
