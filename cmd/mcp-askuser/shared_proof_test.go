//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// What a human has signed on a shared desk is verified from a file, without the desk, with the keys
// that passkey list prints there.
func TestSharedProofOffline(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	far := c.Open(nodes.Human, "alice")
	d := desk.New(far, desk.Options{Credential: far, Prove: desk.ProveConfirm})
	ask := question.Set{Questions: []question.Question{
		{ID: "q1", Text: "Deploy?", Type: question.Boolean, Required: true, Options: question.YesAndNo()},
	}}
	rec, err := desktest.Ask(t.Context(), d, ask, "", desk.Asker{Client: "test"})
	if err == nil {
		yes := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}}}}
		_, err = d.Reply(t.Context(), rec.ID, yes, desk.Evidence{How: desk.HowPage})
	}
	fatal.If(t, err)
	dir := t.TempDir()
	save := func(name string, args ...string) (file string) {
		t.Helper()
		out, err := program(t, t.TempDir(), append(args, onDesk(c, nodes.Human, "alice")...)...).Output()
		file = filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(file, out, 0o600)
		}
		fatal.If(t, err)
		return file
	}
	proof, keys := save("proof.json", "show", rec.ID, "--json"), save("keys.json", "passkey", "list", "--json")
	out, err := program(t, t.TempDir(), "verify", proof, "--keys", keys, "--action", "Deploy?").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "signed with the credential alice") {
		t.Errorf("%s, %v", out, err)
	}
}
