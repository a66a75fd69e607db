//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// signer is a user whose confirmations need a proof, with a passkey. The store trusts it, and
// so does a verifier elsewhere.
type signer struct {
	t       *testing.T
	dir     string // the store
	config  string
	pinned  []string // flags of verify
	passkey prooftest.Passkey
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	s := &signer{t: t, dir: t.TempDir(), passkey: prooftest.New("laptop")}
	elsewhere := t.TempDir()
	s.config = filepath.Join(elsewhere, "config.toml")
	fatal.If(t, os.WriteFile(s.config, []byte("prove = \"confirm\"\n"), 0o600))
	s.pinned = []string{"--keys", filepath.Join(elsewhere, "keys.json")}
	trusted, err := json.Marshal(proof.Keys{Passkeys: []proof.Passkey{s.passkey.Passkey}})
	fatal.If(t, err)
	fatal.If(t, os.MkdirAll(filepath.Join(s.dir, keysDir), 0o700))
	for _, file := range []string{s.pinned[1], filepath.Join(s.dir, keysDir, "passkeys.json")} {
		fatal.If(t, os.WriteFile(file, trusted, 0o600))
	}
	return s
}

// program runs the program with the settings of the signer.
func (s *signer) program(args ...string) *exec.Cmd {
	cmd := program(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env, settings.EnvFile+"="+s.config)
	return onScreen(cmd)
}

// verify runs verify with the pinned keys.
func (s *signer) verify(name string, more ...string) (status int, out string) {
	said, err := s.program(slices.Concat([]string{"verify", name}, s.pinned, more)...).CombinedOutput()
	return exitStatus(err), string(said)
}

// export writes a record to a file, as show --json prints it.
func (s *signer) export(rec desk.Record) (file string) {
	s.t.Helper()
	data, err := json.Marshal(rec)
	fatal.If(s.t, err)
	file = filepath.Join(s.t.TempDir(), "approval.json")
	fatal.If(s.t, os.WriteFile(file, data, 0o600))
	return file
}

// userDesk is the desk as a surface of the signer's has it.
func (s *signer) userDesk() *desk.Desk {
	s.t.Helper()
	keys, err := proof.Load(filepath.Join(s.dir, keysDir))
	fatal.If(s.t, err)
	trusted := func(func(*proof.Keys) error) (proof.Keys, error) { return keys, nil }
	return desktest.Open(s.t, s.dir, desk.Options{Prove: desk.ProveConfirm, Keys: trusted})
}

// TestNoForgedProof: a command with another setting, and a terminal, which has no key, give no yes
// where a proof is required; nor does the store, in which a signed no was edited, to a verifier.
func TestNoForgedProof(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	w := speakTo(t, s.program("serve", "--surface", "inbox"))
	w.hello("test", `{}`)
	id := w.call("confirm_action", `{"action":"rm -r build"}`)
	d := s.userDesk()
	rec := openRecord(t, d)
	cmd := s.program("answer", rec.ID, "--json", `{"q1":true}`)
	cmd.Env = append(cmd.Env, "ASK_PROVE=none")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("a command: %s", out)
	}
	x := termtest.Start(t, s.program("answer", rec.ID), 80, 24)
	if status := x.Wait(); status != exitBad || !strings.Contains(x.Output(), "on the page") {
		t.Errorf("a terminal: %d: %s", status, x.Output())
	}
	reply(t, d, rec.ID, s.passkey.Sign(&rec, choose(question.NoID), time.Now())) // it is open
	if got := w.response(id).Result.StructuredContent; got.Response != false {
		t.Errorf("it is delivered: %+v", got)
	}
	desktest.Overwrite(t, s.dir, rec.ID, desktest.Outcome, func(no []byte) []byte {
		return bytes.Replace(no, []byte(`["`+question.NoID+`"]`), []byte(`["`+question.YesID+`"]`), 1)
	})
	rec, err := d.Get(t.Context(), rec.ID)
	if err != nil || rec.State != desk.Failed {
		t.Errorf("edited it is %s, %v", rec.State, err)
	}
	if status, out := s.verify(rec.ID, "--action", "rm -r build"); status != exitBad {
		t.Errorf("verify: %d, %s", status, out)
	}
}

// A confirmation of an agent whose token needs proof is answered with one alone. A client over HTTP is
// told where its user signs.
func TestSignedOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	server := serve(t, program(t, s.dir, "serve", "--http", "127.0.0.1:0", "--surface", "elicit,web"))
	c := overHTTP(t, server, newToken(t, s.dir, "agent", "--prove"))
	asked := <-begun(t, c, "confirm_action", confirmWhich)
	message, _ := asked["message"].(string)
	if !strings.Contains(message, "They must sign the answer with a passkey") {
		t.Errorf("asked: %v", asked)
	}
	d := desktest.Open(t, s.dir)
	rec := openRecord(t, d)
	_, err := d.Reply(t.Context(), rec.ID, choose(question.YesID), onPage)
	if !errors.Is(err, desk.ErrProofRequired) {
		t.Errorf("an unsigned yes: %v", err)
	}
	signed := s.passkey.Sign(&rec, choose(question.YesID), time.Now())
	reply(t, s.userDesk(), rec.ID, signed)
	if got := <-begun(t, c, "await_answer", `{"id":"`+rec.ID+`"}`); got["proof"] == nil {
		t.Errorf("the result: %v", got)
	}
}

// shows is a surface that shows whatever it gets.
type shows struct{ name string }

func (s shows) Name() string                                       { return s.name }
func (s shows) Show(context.Context, desk.Record, ui.Commit) error { return nil }

// TestNoTerminalForAProof: a question whose answer must be signed is shown in no pane, where it
// could be read but never answered.
func TestNoTerminalForAProof(t *testing.T) {
	d := desktest.Open(t, t.TempDir(), desk.Options{Prove: desk.ProveConfirm})
	which := question.Set{Questions: []question.Question{{ID: "q1", Text: "Which?", Type: question.Text}}}
	for _, tt := range []struct {
		surface, what string
		set           question.Set
		want          error
	}{
		{"pane", "a confirmation", confirmation("Deploy?", ""), ui.ErrUnavailable},
		{"web", "a confirmation", confirmation("Deploy?", ""), nil},
		{"pane", "a question", which, nil},
	} {
		rec, err := desktest.Ask(t.Context(), d, tt.set, "", desk.Asker{Client: "test"})
		fatal.If(t, err)
		err = permitted{shows{tt.surface}, d}.Show(t.Context(), rec, nil)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s on %s: %v", tt.what, tt.surface, err)
		}
	}
}
