//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/install"
	"mcp-askuser/question"
)

const dialogTool = `"tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which ` +
	`database?","header":"Database","options":[{"label":"PostgreSQL","description":""},{"label":"MongoDB",` +
	`"description":""}],"multiSelect":false}]}`

// recorded is an event as Claude Code sends it.
func recorded(name, more string) string {
	return fmt.Sprintf(`{"session_id":"s1","transcript_path":"/x.jsonl","cwd":"/home/ada/shop","hook_event_name":%q%s}`,
		name, more)
}

// dialog is a hook that a host has started, and its two ends.
type dialog struct {
	t    *testing.T
	dir  string // the store
	cmd  *exec.Cmd
	read *os.File
}

// dialogs starts hooks as a host does: a program, an event, a pipe.
func dialogs(t *testing.T, dir, event string, edit ...func(*exec.Cmd)) *dialog {
	t.Helper()
	cmd := program(t, dir, "hook", "claude-code")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_SESSION_ATTENDED=1")
	cmd.Stdin, cmd.Stdout = strings.NewReader(event), write
	for _, e := range edit {
		e(cmd)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	t.Cleanup(func() { _ = read.Close(); _ = cmd.Process.Kill() })
	return &dialog{t, dir, cmd, read}
}

// ends waits for the hook, whose status must be 0, and returns what it printed.
func (x *dialog) ends() string {
	x.t.Helper()
	data, err := io.ReadAll(x.read)
	if err != nil {
		x.t.Fatal(err)
	}
	if err := x.cmd.Wait(); err != nil {
		x.t.Errorf("the hook: %v", err)
	}
	return string(data)
}

// watched is what happens on a desk. The store stays as long as it is watched.
func watched(t *testing.T, d *desk.Desk) <-chan desk.Event {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	events, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		for range events {
		}
	})
	return events
}

// The life of a dialog, as the host's processes see it.
func TestHook(t *testing.T) {
	for _, tc := range []struct {
		name          string
		do            func(t *testing.T, x *dialog, d *desk.Desk, rec desk.Record)
		printed, want string
	}{
		{"answered here", func(t *testing.T, _ *dialog, d *desk.Desk, rec desk.Record) { say(t, d, rec.ID, "MongoDB") },
			`"behavior":"allow","updatedInput":{"answers":{"Which database?":"MongoDB"}`, "answered inbox"},
		{"answered there", func(t *testing.T, x *dialog, _ *desk.Desk, _ desk.Record) {
			used := recorded("PostToolUse",
				`,"tool_use_id":"t",`+dialogTool+`,"tool_response":{"answers":{"Which database?":"PostgreSQL"}}`)
			out := dialogs(t, x.dir, used).ends()
			if out != "" {
				t.Errorf("printed %q", out)
			}
		}, "", "answered claude-code"},
		{"escape", func(_ *testing.T, x *dialog, _ *desk.Desk, _ desk.Record) {
			_ = x.cmd.Process.Signal(syscall.SIGTERM)
		}, "", "dismissed claude-code"},
		{"killed host", func(_ *testing.T, x *dialog, _ *desk.Desk, _ desk.Record) { _ = x.read.Close() },
			"", "cancelled claude-code"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDesk(t, dir)
			x := dialogs(t, dir, recorded("PermissionRequest", ","+dialogTool))
			rec := openRecord(t, d)
			tc.do(t, x, d, rec)
			if tc.name == "killed host" {
				_ = x.cmd.Wait()
			} else if out := x.ends(); !strings.Contains(out, tc.printed) || tc.printed == "" && out != "" {
				t.Errorf("printed %q", out)
			}
			got, err := d.Get(t.Context(), rec.ID)
			if err != nil || string(got.State)+" "+got.Outcome.Surface != tc.want {
				t.Errorf("it ended %+v, %v", got.Outcome, err)
			}
		})
	}
}

// Permissions are mirrored only where that was installed, and no command without a user
// gives one.
func TestHookPermission(t *testing.T) {
	t.Parallel()
	const leave = `,"tool_name":"Bash","tool_input":{"command":"rm -r build"}`
	dir := t.TempDir()
	d := openDesk(t, dir)
	if out := dialogs(t, dir, recorded("PermissionRequest", leave)).ends(); out != "" {
		t.Errorf("printed %q", out)
	}
	x := dialogs(t, dir, recorded("PermissionRequest", leave),
		func(c *exec.Cmd) { c.Args = append(c.Args, "--permissions") })
	rec := openRecord(t, d)
	out, err := program(t, dir, "answer", rec.ID, "--json", `{"q1":"Allow once"}`).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "only the user can answer") {
		t.Errorf("a program was told %s", out)
	}
	say(t, d, rec.ID, question.YesID)
	if out := x.ends(); !strings.Contains(out, `"behavior":"allow"}`) {
		t.Errorf("printed %q", out)
	}
}

// The plugin for OpenCode, in node with a client that writes down what it is
// told to post.
func TestOpenCodePlugin(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	dir, home := t.TempDir(), t.TempDir()
	plugin, script := filepath.Join(home, "plugin.mjs"), filepath.Join(home, "host.mjs")
	if err := os.WriteFile(plugin, install.OpenCode([]string{program(t, dir).Path, "hook", "opencode"}, true),
		0o600); err != nil {
		t.Fatal(err)
	}
	host := `import { McpAskUser } from "./plugin.mjs"
import { createInterface } from "node:readline"
const post = async (what) => console.log(JSON.stringify(what))
const hooks = await McpAskUser({ client: { _client: { post } }, directory: "/home/ada/shop" })
for await (const line of createInterface({ input: process.stdin })) {
  const said = JSON.parse(line)
  if (said.before) await hooks["tool.execute.before"](said.before, { args: said.args })
  else await hooks.event({ event: said })
}
`
	if err := os.WriteFile(script, []byte(host), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, dir)
	cmd.Path, cmd.Args = node, []string{node, script}
	cmd.Env = append(cmd.Env, "TMUX=")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d := openDesk(t, dir)
	posted := bufio.NewScanner(out)
	asks := func(id string) string {
		return fmt.Sprintf(`{"type":"question.asked","properties":{"id":%q,"sessionID":"ses_1",`+
			`"questions":[{"question":"Which `+
			`database?","header":"DB","options":[{"label":"PostgreSQL","description":""},{"label":"MongoDB",`+
			`"description":""}]}]}}`+"\n", id)
	}
	_, _ = io.WriteString(in, asks("que_1"))
	first := openRecord(t, d)
	say(t, d, first.ID, "MongoDB")
	if want := `{"url":"/question/{requestID}/reply","path":{"requestID":"que_1"},` +
		`"query":{"directory":"/home/ada/shop"},"body":{"answers":[["MongoDB"]]}`; !posted.Scan() ||
		!strings.HasPrefix(posted.Text(), want) {
		t.Errorf("posted %s", posted.Text())
	}
	// What a tool may do is asked there too, with what its call holds.
	_, _ = io.WriteString(in, `{"before":{"callID":"c1"},"args":{"command":"rm -r build"}}`+"\n"+
		`{"type":"permission.asked","properties":{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["rm `+
		`*"],"metadata":{},"always":[],"tool":{"messageID":"m","callID":"c1"}}}`+"\n")
	leave := openRecord(t, d)
	say(t, d, leave.ID, question.YesID)
	if want := `{"url":"/permission/{requestID}/reply","path":{"requestID":"per_1"},` +
		`"query":{"directory":"/home/ada/shop"},"body":{"reply":"once"}`; !posted.Scan() ||
		!strings.HasPrefix(posted.Text(), want) {
		t.Errorf("posted %s", posted.Text())
	}
	// A question of ours shows a toast.
	_, _ = io.WriteString(in, `{"before":{"tool":"mcp-askuser_await_answer","sessionID":"ses_1","callID":"c2"},`+
		`"args":{"id":"01J"}}`+"\n"+
		`{"before":{"tool":"mcp-askuser_ask_user_question","sessionID":"ses_1","callID":"c3"},"args":{"question":"Which `+
		`cache?","options":["Redis","None"]}}`+"\n")
	if want := `{"url":"/tui/show-toast","query":{"directory":"/home/ada/shop"},"body":{"title":"Question",` +
		`"message":"Which cache?\nTo answer: mcp-askuser inbox"`; !posted.Scan() || !strings.HasPrefix(posted.Text(), want) {
		t.Errorf("posted %s", posted.Text())
	}
	_ = in.Close()
	if posted.Scan() {
		t.Errorf("posted %s", posted.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if first.Asker.Directory != "/home/ada/shop" {
		t.Errorf("asked by %+v", first.Asker)
	}
}
