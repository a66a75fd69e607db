//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/proof"
	"mcp-askuser/desk/proof/prooftest"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

// TestSharedKeys: a user puts their keys on a shared desk, an agent on another machine gets
// what they sign, and a verifier there needs no keys of its own.
func TestSharedKeys(t *testing.T) {
	s, c := newSigner(t), natstest.Start(t, 1)
	alice, bot := onDesk(c, nodes.Human, "alice"), onDesk(c, nodes.Agent, "bot")
	onTerminal := func(want int, said string, args ...string) {
		t.Helper()
		term := termtest.Start(t, s.program(args...), 120, 24)
		if said != "" {
			term.WaitFor(said)
		}
		if status := term.Wait(); status != want {
			t.Errorf("%v: %d %s", args, status, term.Output())
		}
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := s.program(args...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v %s", args, err, out)
		}
		return string(out)
	}
	store := c.Open(natstest.Account, nodes.Human, "alice")
	_, err := store.Keys(t.Context(), "", func(keys *proof.Keys) error {
		keys.Passkeys = append(keys.Passkeys, s.passkey.Passkey)
		return nil
	})
	s.check(err)

	user := desk.New(store, desk.Options{Prove: desk.ProveConfirm})
	approved := make(chan string, 1)
	go func() {
		out, err := program(t, t.TempDir(), append([]string{"confirm", "--prove", "--surface", "inbox", "rm -r build"}, bot...)...).CombinedOutput()
		approved <- strings.Repeat("!", exitStatus(err)) + string(out)
	}()
	rec := openRecord(t, user)
	_, err = user.Reply(t.Context(), rec.ID, s.passkey.Sign(&rec, choose(question.YesID), time.Now()), desk.Evidence{Surface: "web", How: desk.HowPage})
	s.check(err)
	if out := <-approved; strings.HasPrefix(out, "!") {
		t.Errorf("the agent gets %s", out)
	}
	for name, creds := range map[string][]string{"alice": alice, "the agent": bot} {
		if out := run(append([]string{"verify", rec.ID}, creds...)...); !strings.Contains(out, "Valid: signed with the passkey alice/laptop at ") {
			t.Errorf("%s verifies: %s", name, out)
		}
	}
	pinned := filepath.Join(t.TempDir(), "keys.json")
	s.check(os.WriteFile(pinned, []byte(run(append([]string{"passkey", "list", "--json"}, alice...)...)), 0o600))
	if out := run(append([]string{"verify", rec.ID, "--keys", pinned}, bot...)...); !strings.Contains(out, "Valid: ") {
		t.Errorf("with alice's keys: %s", out)
	}
	_, err = store.Keys(t.Context(), "", func(keys *proof.Keys) error {
		keys.Passkeys = append(keys.Passkeys, prooftest.New("other").Passkey)
		return nil
	})
	s.check(err)

	onTerminal(0, "", append([]string{"passkey", "remove", "laptop"}, alice...)...)
	onTerminal(exitBad, `there is no passkey "laptop"`, append([]string{"passkey", "remove", "laptop"}, alice...)...)
	onTerminal(0, "", append([]string{"passkey", "remove", "other"}, alice...)...)
	if out := run("passkey", "list"); !strings.Contains(out, "laptop\tlocalhost\t") || strings.Contains(out, "\t\n") {
		t.Errorf("beside the store it stays: %s", out)
	}
	if out := run(append([]string{"verify", rec.ID}, bot...)...); !strings.Contains(out, "Valid: ") {
		t.Errorf("after it was removed: %s", out)
	}
}
