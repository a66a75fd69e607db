//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/internal/waittest"
)

// onDesk are the flags that lead to a cluster with a credential.
func onDesk(c *sharedtest.Cluster, kind, name string) []string {
	return []string{"--desk", c.URL(), "--desk-creds", nodes.Creds(c.Dir, kind, name)}
}

// userOn is the desk of the human alice on a cluster.
func userOn(c *sharedtest.Cluster) *desk.Desk {
	far := c.Open(nodes.Human, "alice")
	return desk.New(far, desk.Options{Credential: far})
}

// An agent's credential does not answer, whatever the command: the desk says
// why, and nothing is answered.
func TestAgentsDoNotAnswer(t *testing.T) {
	c := sharedtest.Start(t, 1)
	dir := t.TempDir()
	bot := onDesk(c, nodes.Agent, "bot")
	w := dial(t, dir, append([]string{"serve", "--surface", "inbox"}, bot...)...)
	w.hello("test", `{}`)
	w.send(goOn, 1, 1)
	w.waiting()
	for _, args := range [][]string{{"answer", "--json", `{"Go on?":"Yes"}`}, {"answer"}} {
		out, err := program(t, dir, append(args, bot...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "credential") {
			t.Errorf("%v: %s, %v", args, out, err)
		}
	}
	out, err := program(t, dir, append([]string{"pending", "--json"}, bot...)...).Output()
	var open []struct{ State string }
	if err != nil || json.Unmarshal(out, &open) != nil || len(open) != 1 || open[0].State != "pending" {
		t.Errorf("it is %s, %v", out, err)
	}
}

// The user can leave while the desk hangs: Ctrl+C leaves every command that waits for it, while an
// answer is being stored, too.
func TestLeaveWhileTheDeskHangs(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		wait string // until it takes an answer
		keys []string
	}{
		"ask":    {[]string{"ask", askDefault}, "Go on?", []string{"1", "\r"}},
		"answer": {[]string{"answer"}, "First?", []string{"1", "\r"}},
		"inbox":  {[]string{"inbox"}, "First?", []string{"\r", "1", "\r"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sharedtest.Start(t, 1)
			asking(t, userOn(c), "First?")
			cmd := program(t, t.TempDir(), append(tc.args, onDesk(c, nodes.Human, "alice")...)...)
			s := seated(t, 80, 24, cmd)
			s.WaitFor(tc.wait)
			s.Quiet()
			c.Stop(0)
			defer c.Continue(0)
			for _, key := range tc.keys {
				s.Type(key)
				<-time.After(time.Second) // an act settles, and reaches the desk that hangs
			}
			s.Type("\x03")
			s.Wait()
			s.left(t)
		})
	}
}

// An answer that the shared desk does not take stays in the form, which says so, and is sent
// with the next Enter once the desk answers again.
func TestNotSentWhileTheDeskIsAway(t *testing.T) {
	c := sharedtest.Start(t, 1)
	asked := asking(t, userOn(c), "First?")
	cmd := program(t, t.TempDir(), append([]string{"answer"}, onDesk(c, nodes.Human, "alice")...)...)
	s := seated(t, 80, 24, cmd)
	s.WaitFor("First?")
	<-time.After(time.Second) // keys count after a pause
	c.Stop(0)
	s.Type("1")
	s.WaitFor("(•)")
	<-time.After(time.Second) // the act settles
	s.Type("\r")
	s.WaitFor("Not sent: the shared desk does not answer.")
	c.Continue(0)
	<-time.After(time.Second)
	s.Type("\r")
	s.Wait()
	s.left(t)
	rec, err := userOn(c).Get(t.Context(), asked.ID)
	if err != nil || rec.State != desk.Answered {
		t.Errorf("it is %s, %v", rec.State, err)
	}
}

// What desk init writes is started as it says, by hand, and desk status finds it well; before
// that it says what is missing.
func TestDeskInitAndStatus(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "desk")
	address := fmt.Sprint("127.0.0.1:", sharedtest.FreePorts(t, 1)[0])
	out, err := program(t, t.TempDir(), "desk", "init", "--dir", dir, "--listen", address, "--human", "alice", "--agent", "bot").Output()
	if err != nil {
		t.Fatal(err)
	}
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
	if out, err := run(create, "--wait", "1ms"); err == nil || !strings.Contains(out, "the desk does not answer") {
		t.Errorf("before its node runs: %s, %v", out, err)
	}
	node := exec.Command("sh", "-c", strings.Replace(start, "nats-server", "exec "+sharedtest.Server(t), 1)+" -l log")
	err = node.Start()
	if err != nil {
		t.Fatal(err)
	}
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

// The doctor says of a shared desk whether it answers and as whom it takes this
// user, and what to do where it does not.
func TestDoctorOnSharedDesk(t *testing.T) {
	c := sharedtest.Start(t, 1)
	alice := onDesk(c, nodes.Human, "alice")
	stranger := append(slices.Clone(alice[:3]), nodes.Creds(sharedtest.Start(t, 1).Dir, nodes.Human, "alice"))
	nowhere := append([]string{"--desk", fmt.Sprint("nats://127.0.0.1:", sharedtest.FreePorts(t, 1)[0])}, alice[2:]...)
	tests := map[string]struct {
		flags []string
		want  []string
	}{
		"well":         {alice, []string{"as the human alice", "tty: this process has no"}},
		"an agent's":   {onDesk(c, nodes.Agent, "bot"), []string{"as the agent bot"}},
		"of another":   {stranger, []string{"wrong  nats://", "does not permit", "→ name the file"}},
		"no such file": {append(slices.Clone(alice[:3]), t.TempDir()+"/x"), []string{"no such file", "→ name the file"}},
		"no answer":    {nowhere, []string{"wrong  nats://", "the desk does not answer", "→ start its nodes"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, _ := program(t, t.TempDir(), append([]string{"doctor"}, tt.flags...)...).Output()
			for _, part := range tt.want {
				if !strings.Contains(string(out), part) {
					t.Errorf("%q is missing in\n%s", part, out)
				}
			}
		})
	}
}
