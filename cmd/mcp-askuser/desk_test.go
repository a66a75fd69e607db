//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
)

// onDesk are the flags that lead to a cluster with a credential.
func onDesk(c *natstest.Cluster, kind, name string) []string {
	return []string{"--desk", c.URL(), "--desk-ca", c.CA(), "--desk-creds", c.Creds(natstest.Account, kind, name)}
}

// An agent's credential does not answer, whatever the command: the desk says
// why, and nothing is answered.
func TestAgentsDoNotAnswer(t *testing.T) {
	c := natstest.Start(t, 1)
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
	out, err = program(t, t.TempDir(), append([]string{"pending"}, "--desk", c.URL(), "--desk-ca", c.CA(), "--desk-creds", c.Creds(natstest.Another, nodes.Human, "alice"))...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Nothing waits") {
		t.Errorf("another account sees %s, %v", out, err)
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
		"ask":            {[]string{"ask", askDefault}, "Go on?", []string{"1", "\r"}},
		"ask, plain":     {[]string{"ask", "--plain", askDefault}, "takes 1):", []string{"1", "\r"}},
		"a draft":        {[]string{"ask", askDefault}, "Go on?", []string{"1"}},
		"answer":         {[]string{"answer"}, "First?", []string{"1", "\r"}},
		"inbox":          {[]string{"inbox"}, "First?", []string{"\r", "1", "\r"}},
		"inbox, dismiss": {[]string{"inbox"}, "First?", []string{"x", "\r"}},
		"inbox, a draft": {[]string{"inbox"}, "First?", []string{"\r", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := natstest.Start(t, 1)
			asking(t, desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{}), "First?")
			cmd := program(t, t.TempDir(), append(tc.args, onDesk(c, nodes.Human, "alice")...)...)
			cmd.Env = append(cmd.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=")
			s := &seat{Terminal: termtest.Start(t, cmd, 80, 24)}
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

// A command has one connection to a shared desk, also for the paths of an answer's files.
func TestOneConnection(t *testing.T) {
	c := natstest.Start(t, 1)
	ln, connections := forward(t, strings.TrimPrefix(c.URL(), "nats://"))
	bot := onDesk(c, nodes.Agent, "bot")
	bot[1] = "nats://" + ln
	user := desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	printed := make(chan string, 1)
	go func() {
		out, err := program(t, t.TempDir(), append([]string{"ask", "--surface", "inbox", "What is wrong?"}, bot...)...).CombinedOutput()
		printed <- fmt.Sprint(string(out), err)
	}()
	rec := openRecord(t, user)
	a := question.Answer{QuestionID: rec.Questions[0].ID, Custom: "See the logs."}
	for _, name := range []string{"one.txt", "two.txt"} {
		f, err := user.AttachFile(t.Context(), rec.ID, name, strings.NewReader(name))
		if err != nil {
			t.Fatal(err)
		}
		a.Files = append(a.Files, f)
	}
	if _, err := user.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{a}}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	out := <-printed
	for _, f := range a.Files {
		if !strings.Contains(out, f.Key()) {
			t.Errorf("the path of %s is missing in %s", f.Name, out)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// forward forwards connections to an address, and counts them, until the test ends.
func forward(t *testing.T, to string) (address string, count *atomic.Int32) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	count = &atomic.Int32{}
	go func() {
		for {
			from, err := ln.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			conn, err := net.Dial("tcp", to)
			if err != nil {
				_ = from.Close()
				continue
			}
			go func() { _, _ = io.Copy(conn, from); _ = conn.Close() }()
			go func() { _, _ = io.Copy(from, conn); _ = from.Close() }()
		}
	}()
	return ln.Addr().String(), count
}

// What desk init writes is started as it says, by hand, and desk status finds
// it well; and says what is wrong when a node goes, or writes late.
func TestDeskInitAndStatus(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "desk")
	base := freeBase(t)
	out, err := program(t, t.TempDir(), "desk", "init", "--dir", dir, "--nodes", "3", "--hosts", "127.0.0.1", "--port", strconv.Itoa(base), "--human", "alice", "--agent", "bot").Output()
	if err != nil {
		t.Fatal(err)
	}
	var commands, creates []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "cd ") {
			commands = append(commands, line)
		} else if strings.HasPrefix(line, "mcp-askuser desk create ") {
			creates = append(creates, line)
		}
	}
	if len(commands) != 3 || len(creates) != 1 {
		t.Fatalf("it says %s", out)
	}
	language := "en"
	run := func(line string, more ...string) (string, error) {
		cmd := program(t, t.TempDir(), append(strings.Fields(line)[1:], more...)...)
		cmd.Env = append(cmd.Env, "ASK_LANGUAGE="+language)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(creates[0], "--wait", "1ms"); err == nil || !strings.Contains(out, "the desk does not answer") {
		t.Errorf("before its nodes run: %s, %v", out, err)
	}
	server := natstest.Server(t)
	start := func(i int) *exec.Cmd {
		node := exec.Command("sh", "-c", strings.Replace(commands[i], "nats-server", "exec "+server, 1)+" -l log")
		if err := node.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = node.Process.Kill(); _ = node.Wait() })
		return node
	}
	var started []*exec.Cmd
	for i := range 3 {
		started = append(started, start(i))
	}
	if out, err := run(creates[0]); err != nil {
		logs, _ := os.ReadFile(filepath.Join(dir, "nats-1", "log"))
		t.Fatalf("%s, %v\n%s", out, err, logs)
	}
	status := strings.Replace(creates[0], "create", "status", 1)
	says := func(t *testing.T, line string, ok func(out string, err error) bool) {
		t.Helper()
		var out string
		var err error
		if !waittest.Until(patience, func() bool { out, err = run(line); return ok(out, err) }) {
			t.Fatalf("%s, %v", out, err)
		}
	}
	well := func(out string, err error) bool { return err == nil && strings.Count(out, "yes") == 3 }
	says(t, status, well)
	// A human's own credential finds as much, and everything else works with it.
	mine := strings.Replace(status, "operator.creds", "human-alice.creds", 1)
	says(t, mine, well)
	// A node that does not write at once is named.
	file := filepath.Join(dir, "nats-2", "nats.conf")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(config, []byte("sync_interval: always"), []byte("sync_interval: 2m"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = started[1].Process.Kill()
	_ = started[1].Wait()
	out2, err := run(mine)
	if err == nil || !strings.Contains(out2, "2 of 3 nodes answer") {
		t.Errorf("without a node: %s, %v", out2, err)
	}
	language = "zh"
	if out, err := run(mine); err == nil || !strings.Contains(out, "3 个节点中有 2 个应答") {
		t.Errorf("without a node, in Chinese: %s, %v", out, err)
	}
	language = "en"
	started[1] = start(1)
	says(t, mine, func(out string, err error) bool {
		return err != nil && strings.Contains(out, "nats-2 acknowledges what is not on its disk yet")
	})
}

// freeBase returns a port that is free, with two more above it and those 2000
// above these; below those that the system gives out by itself.
func freeBase(t *testing.T) int {
	t.Helper()
	for range 100 {
		base, free := 12000+rand.N(10000), true
		for i := range 6 {
			ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(base+i%3+i/3*2000)))
			if free = free && err == nil; err == nil {
				_ = ln.Close()
			}
		}
		if free {
			return base
		}
	}
	t.Fatal("no ports are free")
	return 0
}

// The doctor says of a shared desk whether it answers and as whom it takes this
// user, and what to do where it does not, in each language.
func TestDoctorOnSharedDesk(t *testing.T) {
	c := natstest.Start(t, 1)
	alice := onDesk(c, nodes.Human, "alice")
	stranger := append(slices.Clone(alice[:5]), natstest.Start(t, 1).Creds(natstest.Account, nodes.Human, "alice"))
	nowhere := append([]string{"--desk", "nats://127.0.0.1:" + strconv.Itoa(freeBase(t))}, alice[2:]...)
	tests := map[string]struct {
		flags   []string
		english []string
		chinese []string
	}{
		"well":         {alice, []string{"as the human alice", "tty: this process has no"}, []string{"共享问答台", "alice", "tty: 本进程没有"}},
		"an agent's":   {onDesk(c, nodes.Agent, "bot"), []string{"as the agent bot", "tty: this credential does not permit it"}, []string{"tty: 该凭证不允许"}},
		"of another":   {stranger, []string{"wrong  nats://", "does not permit", "→ name the file"}, []string{"→ 请指明"}},
		"no such file": {append(slices.Clone(alice[:5]), t.TempDir()+"/x"), []string{"no such file", "→ name the file"}, []string{"→ 请指明"}},
		"no answer":    {nowhere, []string{"wrong  nats://", "the desk does not answer", "→ start its nodes"}, []string{"问答台没有响应", "→ 请启动"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for language, want := range map[string][]string{"en": tt.english, "zh": tt.chinese} {
				cmd := program(t, t.TempDir(), append([]string{"doctor"}, tt.flags...)...)
				cmd.Env = append(cmd.Env, "ASK_LANGUAGE="+language)
				out, _ := cmd.Output()
				for _, part := range want {
					if !strings.Contains(string(out), part) {
						t.Errorf("%s: %q is missing in\n%s", language, part, out)
					}
				}
			}
		})
	}
}
