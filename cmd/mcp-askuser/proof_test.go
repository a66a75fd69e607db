//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
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
	s.check(os.WriteFile(s.config, []byte("prove = \"confirm\"\n"), 0o600))
	s.pinned = []string{"--keys", filepath.Join(elsewhere, "keys.json")}
	trusted, err := json.Marshal(proof.Keys{Passkeys: []proof.Passkey{s.passkey.Passkey}})
	s.check(err)
	s.check(os.MkdirAll(filepath.Join(s.dir, keysDir), 0o700))
	for _, file := range []string{s.pinned[1], filepath.Join(s.dir, keysDir, "passkeys.json")} {
		s.check(os.WriteFile(file, trusted, 0o600))
	}
	return s
}

func (s *signer) check(err error) {
	s.t.Helper()
	fatal.If(s.t, err)
}

// program runs the program with the settings of the signer.
func (s *signer) program(args ...string) *exec.Cmd {
	cmd := program(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env, settings.EnvFile+"="+s.config, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=")
	return cmd
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
	s.check(err)
	file = filepath.Join(s.t.TempDir(), "approval.json")
	s.check(os.WriteFile(file, data, 0o600))
	return file
}

func choose(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}, By: question.ByUser}}}
}

// userDesk is the desk as a surface of the signer's has it.
func (s *signer) userDesk() *desk.Desk {
	s.t.Helper()
	keys, err := proof.Load(filepath.Join(s.dir, keysDir))
	s.check(err)
	trusted := func(func(*proof.Keys) error) (proof.Keys, error) { return keys, nil }
	return desk.New(desktest.Store(s.t, s.dir), desk.Options{Prove: desk.ProveConfirm, Keys: trusted})
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
			result := begun(t, c, "confirm_action", `{"action":"rm -r build"}`)
			rec := openRecord(t, d)
			attack(t, s, d, rec)
			now, err := d.Get(t.Context(), rec.ID)
			s.check(err)
			if now.Outcome == nil {
				_, err = d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, onPage)
				s.check(err)
			}
			if got := <-result; got == nil || got["status"] == "answered" && got["response"] == true {
				t.Errorf("it is delivered: %v", got)
			}
			if status, out := s.verify(rec.ID, "--action", "rm -r build"); status != exitBad {
				t.Errorf("verify: %d, %s", status, out)
			}
		})
	}
}

// A client over HTTP gets an address at which its user signs, without a token: what it brings
// opens in a browser that has opened the page before, and in no other.
func TestSignedOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	asked := make(chan mcp.ElicitationParams, 1)
	h := &human{t: t, do: []answer{func(p mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
		asked <- p
		return act(mcp.ElicitationResponseActionAccept, nil)(p)
	}}}
	both := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}}
	server := s.program("serve", "--http", "127.0.0.1:0", "--surface", "elicit,web")
	token := map[string]string{"Authorization": "Bearer " + newToken(t, s.dir, "agent")}
	over, err := transport.NewStreamableHTTP(listening(t, server, new(bytes.Buffer)), transport.WithHTTPHeaders(token))
	s.check(err)
	options := append(slices.Clip(eras[1].options), client.WithElicitationHandler(h), client.WithClientCapabilities(both))
	c := initialized(t, client.NewClient(over, options...), eras[1])
	got := begun(t, c, "confirm_action", confirmWhich)
	p := <-asked
	rec := openRecord(t, openDesk(t, s.dir))
	page, err := url.Parse(p.URL)
	s.check(err)
	if p.Mode != mcp.ElicitationModeURL || page.Hostname() != "localhost" || page.RawQuery != "id="+rec.ID {
		t.Errorf("asked: %+v", p)
	}
	visit, err := http.Get(p.URL)
	s.check(err)
	_ = visit.Body.Close()
	if visit.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger's browser: %d", visit.StatusCode)
	}
	s.signed(s.userDesk(), &rec, question.YesID)
	if got := <-got; got["proof"] == nil {
		t.Errorf("the result: %v", got)
	}
}
