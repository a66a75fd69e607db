//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
)

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
	host.Env = append(host.Env, "TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=", "TMUX=", "TMUX_PANE=")
	x := termtest.Start(t, host, 100, 40)
	s := &seat{Terminal: x}
	s.WaitFor("Go on?")
	x.Until("the pane to take the focus", func() bool {
		active, err := exec.Command(tmux, "-L", socket, "display-message", "-p", "#{pane_id}").Output()
		return err == nil && string(active) == "%1\n"
	})
	s.Quiet()
	x.Type("2")
	x.WaitFor("(•) No")
	x.Type("\r")
	rec := func() desk.Record {
		d := openDesk(t, store)
		for rec, err := range d.History(t.Context(), desk.Query{Limit: 1}) {
			if err == nil {
				return rec
			}
		}
		return desk.Record{}
	}
	x.Until("the pane to go", func() bool {
		return !strings.Contains(x.Screen(), "Go on?") ||
			rec().State == desk.Answered
	})
	if got := rec(); got.State != desk.Answered || got.Outcome.Surface != "pane" ||
		got.Outcome.Reply.Answers[0].Selected[0] != "no" {
		t.Errorf("the record is %+v", got.Outcome)
	}
	_ = syscall.Kill(x.Pid(), syscall.SIGKILL)
}
