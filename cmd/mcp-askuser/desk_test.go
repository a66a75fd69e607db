//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
)

// onDesk are the flags that lead to a cluster with a credential.
func onDesk(c *sharedtest.Cluster, kind, name string) []string {
	return []string{"--desk", c.URL(), "--desk-creds", nodes.Creds(c.Dir, kind, name)}
}

// An agent asks on one machine, and its user answers on another. The agent's own credential
// answers nothing, whatever the command: the desk says why. The doctor says whether the desk
// answers, and as whom it takes this user. What a human has signed is verified from a file, without
// the desk, with the keys that passkey list prints there. The user can leave while it hangs: an answer that it
// does not take stays in the form, and Ctrl+C ends the command.
func TestSharedDesk(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	dir := t.TempDir()
	bot, alice := onDesk(c, nodes.Agent, "bot"), onDesk(c, nodes.Human, "alice")
	w := dial(t, dir, append([]string{"serve", "--surface", "inbox"}, bot...)...)
	w.hello("test", `{}`)
	id := w.call("ask_user_question", goOn)
	far := c.Open(nodes.Human, "alice")
	d := desk.New(far, desk.Options{Credential: far, Prove: desk.ProveConfirm})
	openRecord(t, d)
	const no = `{"Go on?":"No"}`
	for _, args := range [][]string{{"answer", "--json", no}, {"answer"}} {
		out, err := program(t, dir, append(args, bot...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "credential") {
			t.Errorf("%v: %s, %v", args, out, err)
		}
	}
	out, err := program(t, t.TempDir(), append([]string{"answer", "--json", no}, alice...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	result := w.response(id).Result
	if result.StructuredContent.Answers["Go on?"] != "No" || !strings.Contains(result.Content[0].Text, "alice") {
		t.Errorf("the agent gets %+v", result)
	}

	nowhere := append([]string{"--desk", fmt.Sprint("nats://127.0.0.1:", sharedtest.FreePorts(t, 1)[0])}, alice[2:]...)
	for want, flags := range map[string][]string{
		"as the human alice":           alice,
		"→ start its nodes":            nowhere,
		"your credential (desk_creds)": append(slices.Clone(alice[:3]), t.TempDir()+"/x"),
	} {
		out, _ := program(t, t.TempDir(), append([]string{"doctor"}, flags...)...).Output()
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}

	saved := t.TempDir()
	save := func(name string, args ...string) (file string) {
		t.Helper()
		out, err := program(t, t.TempDir(), append(args, alice...)...).Output()
		// A signed yes is passed off as a proof.
		out = bytes.Replace(out, []byte(`"credential": {`), []byte(`"proof": {`), 1)
		file = filepath.Join(saved, name)
		fatal.If(t, errors.Join(err, os.WriteFile(file, out, 0o600)))
		return file
	}
	keys := save("keys.json", "passkey", "list", "--json")
	for want, d := range map[string]*desk.Desk{
		"signed with the credential alice": d,
		// Any surface may have shown it.
		"it is no confirmation": desk.New(far, desk.Options{Credential: far}),
	} {
		rec, err := desktest.Ask(t.Context(), d, confirmation("Deploy?", ""), "", desk.Asker{Client: "test"})
		fatal.If(t, err)
		reply(t, d, rec.ID, choose(question.YesID))
		proof := save("proof.json", "show", rec.ID, "--json")
		out, _ := program(t, t.TempDir(), "verify", proof, "--keys", keys, "--action", "Deploy?").CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}

	asking(t, d, "First?")
	x := termtest.Start(t, onScreen(program(t, t.TempDir(), append([]string{"answer"}, alice...)...)), 80, 24)
	x.WaitFor("First?")
	x.Quiet()
	c.Stop(0)
	defer c.Continue(0)
	x.Type("1")
	x.WaitFor("(•) Yes")
	x.Type("\r\x03")
	if status := x.Wait(); status != exitInterrupted {
		t.Errorf("exit status %d", status)
	}
	x.CheckLeft()
}

// What desk init writes is started as it says, by hand, and desk status finds it well; before
// that it says what is missing.
func TestDeskInitAndStatus(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "desk")
	address := fmt.Sprint("127.0.0.1:", sharedtest.FreePorts(t, 1)[0])
	out, err := program(t, t.TempDir(), "desk", "init", "--dir", dir, "--listen", address, "--human", "alice", "--agent",
		"bot").Output()
	fatal.If(t, err)
	var start, create string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "cd ") {
			start = line
		}
		if strings.HasPrefix(line, "mcp-askuser desk create ") {
			create = line
		}
	}
	run := func(line string, more ...string) (string, error) {
		out, err := program(t, t.TempDir(), append(strings.Fields(line)[1:], more...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := run(create); err == nil || !strings.Contains(out, "the desk does not answer") {
		t.Errorf("before its node runs: %s, %v", out, err)
	}
	node := exec.Command("sh", "-c", strings.Replace(start, "nats-server", "exec "+sharedtest.Server(t), 1)+" -l log")
	fatal.If(t, node.Start())
	t.Cleanup(func() { _ = node.Process.Kill(); _ = node.Wait() })
	status := strings.Replace(create, "create", "status", 1)
	if !waittest.Until(patience, func() bool {
		found, err := run(status)
		return err != nil && strings.Contains(found, "the desk was not created: its operator runs mcp-askuser desk create")
	}) {
		t.Error("status does not say that nothing was created")
	}
	if out, err := run(create); err != nil || !strings.Contains(out, "The desk is ready. 1 human answers.") {
		logs, _ := os.ReadFile(filepath.Join(dir, "log"))
		t.Fatalf("%s, %v\n%s", out, err, logs)
	}
	for who, want := range map[string]string{
		"operator": "with every right", "human-alice": "as the human alice", "agent-bot": "as the agent bot",
	} {
		out, err := run(strings.Replace(status, "operator.creds", who+".creds", 1))
		if err != nil || !strings.Contains(out, want) || !strings.Contains(out, "1 copy") {
			t.Errorf("%s: %s, %v", who, out, err)
		}
	}
}
