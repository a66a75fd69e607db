//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
)

// A host that reads lines leaves its terminal free, and speaks on pipes: the form appears on the
// terminal, its answer is the tool's result, and the terminal is the host's again. Nothing is drawn on the
// terminal of a full-screen host: the result names the command with which the user can answer.
func TestHostsTerminal(t *testing.T) {
	for name, tc := range map[string]struct{ prepare, want string }{
		"free": {"", `"Go on?"="No"`}, "held": {"stty raw -echo; ", "run mcp-askuser inbox --dir /"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
			fatal.If(t, errors.Join(syscall.Mkfifo(in, 0o600), syscall.Mkfifo(out, 0o600)))
			cmd := onScreen(program(t, filepath.Join(dir, "desk")))
			cmd.Path = "/bin/sh"
			cmd.Args = []string{"sh", "-c",
				tc.prepare + `mcp-askuser serve <"$1" >"$2" 2>"$2.log"; stty sane; echo host is back`, "sh", in, out}
			x := termtest.Start(t, cmd, 80, 24)
			w := &connection{t: t, stderr: &bytes.Buffer{}}
			input, err := os.OpenFile(in, os.O_WRONLY, 0)
			fatal.If(t, err)
			results, err := os.Open(out)
			fatal.If(t, err)
			t.Cleanup(func() { _, _ = input.Close(), results.Close() })
			w.in = input
			w.listen(results)
			w.hello("host", `{}`)
			id := w.call("ask_user_question", goOn)
			if name == "free" {
				x.WaitFor("Go on?")
				x.Quiet()
				x.Type("2")
				x.WaitFor("(•) No")
				x.Type("\r")
			}
			got := w.response(id).Result.Content[0].Text
			if !strings.Contains(got, tc.want) || name == "held" && x.Output() != "" {
				t.Errorf("got %s, drawn is %q", got, x.Output())
			}
			_ = w.in.Close()
			x.WaitFor("host is back")
			if got := x.Wait(); got != 0 || x.FullScreen() {
				t.Errorf("exit status %d; the form is on the terminal: %t", got, x.FullScreen())
			}
		})
	}
}

// A host in tmux that holds its screen gets the question into a pane, where the answer
// command takes the answer; also where the environment of tmux's server, which a pane starts
// with, leads to another store and to a configuration file that cannot be used.
func TestPaneInTmux(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("needs tmux")
	}
	t.Parallel()
	dir, err := os.MkdirTemp("", "askuser-pane-")
	fatal.If(t, err)
	// What tmux started may outlive it by a moment, and still write there.
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Base(dir) // one of its own: a server that is ending refuses newcomers
	t.Cleanup(func() { _ = exec.Command(tmux, "-L", socket, "kill-server").Run() })
	host, tmuxHome := program(t, dir), t.TempDir()
	for _, name := range []string{"mcp-askuser", filepath.Join(".config", "mcp-askuser")} {
		file := filepath.Join(tmuxHome, name, "config.toml")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700),
			os.WriteFile(file, []byte("bad = 1"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	host.Env = append(host.Env, local.EnvDir+"=", settings.EnvFile+"=",
		"HOME="+tmuxHome, "XDG_CONFIG_HOME="+tmuxHome, "XDG_STATE_HOME="+tmuxHome)
	serve := "env -u XDG_CONFIG_HOME -u XDG_STATE_HOME HOME=" + dir + " mcp-askuser serve"
	store := filepath.Join(dir, ".local", "state", "mcp-askuser")
	host.Path = tmux
	host.Args = []string{tmux, "-L", socket, "-f", "/dev/null", "new-session", "sh", "-c",
		// The host takes the screen, as a full-screen program does, and asks.
		`stty raw -echo; (printf '%s\n' ` +
			`'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Go ` +
			`on?","options":["Yes","No"]}}}'; sleep 60) | ` + serve +
			` 2>/dev/null | grep -o 'User has answered[^}]*"' ; sleep 60`}
	host.Env = append(host.Env, "TMUX=", "TMUX_PANE=")
	x := termtest.Start(t, onScreen(host), 100, 40)
	x.WaitFor("Go on?")
	x.Until("the pane to take the focus", func() bool {
		active, err := exec.Command(tmux, "-L", socket, "display-message", "-p", "#{pane_id}").Output()
		return err == nil && string(active) == "%1\n"
	})
	x.Quiet()
	d := desktest.Open(t, store)
	rec := openRecord(t, d)
	x.Type("2")
	x.WaitFor("(•) No")
	x.Type("\r")
	x.Until("the answer", func() bool {
		rec, err = d.Get(t.Context(), rec.ID)
		return err != nil || rec.State == desk.Answered
	})
	if err != nil || rec.Outcome.Surface != "pane" || rec.Outcome.Reply.Answers[0].Selected[0] != "no" {
		t.Errorf("the record is %+v, %v", rec.Outcome, err)
	}
	_ = syscall.Kill(x.Pid(), syscall.SIGKILL)
}
