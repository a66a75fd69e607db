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
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
)

// hosted is the program as a line-based host runs it: the protocol on pipes, the host's terminal
// as its controlling one.
type hosted struct {
	*termtest.Terminal
	*connection
}

// host starts the program below a shell on a terminal, and asks. What prepare does to the
// terminal precedes it.
func host(t *testing.T, prepare string) hosted {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, fifo := range []string{in, out} {
		fatal.If(t, syscall.Mkfifo(fifo, 0o600))
	}
	cmd := program(t, filepath.Join(dir, "desk"))
	path, err := exec.LookPath("sh")
	fatal.If(t, err)
	cmd.Path = path
	cmd.Args = []string{"sh", "-c",
		prepare + `mcp-askuser serve <"$1" >"$2" 2>"$2.log"; stty sane; echo host is back`, "sh", in, out}
	h := hosted{seated(t, 80, 24, cmd).Terminal, &connection{t: t, stderr: &bytes.Buffer{}}}
	w, err := os.OpenFile(in, os.O_WRONLY, 0)
	fatal.If(t, err)
	results, err := os.Open(out)
	fatal.If(t, err)
	t.Cleanup(func() { _, _ = w.Close(), results.Close() })
	h.in = w
	h.listen(results)
	h.hello("host", `{}`)
	h.send(goOn, 1, 1)
	return h
}

// result returns the text of the response to the question.
func (h hosted) result() string {
	h.t.Helper()
	m := h.next(func(m message) bool { return string(m.ID) == "1" })
	if len(m.Result.Content) != 1 {
		h.t.Fatalf("the result is %+v", m)
	}
	return m.Result.Content[0].Text
}

// end ends the connection and checks that the terminal is its owner's again.
func (h hosted) end() {
	h.t.Helper()
	_ = h.in.Close()
	h.WaitFor("host is back")
	if h.FullScreen() {
		h.t.Error("the form is still on the terminal")
	}
	if got := h.Wait(); got != 0 {
		h.t.Errorf("exit status %d", got)
	}
}

// A host that reads lines leaves its terminal free: the form appears on it, and its answer is
// the tool's result.
func TestFormOnTheHostsTerminal(t *testing.T) {
	t.Parallel()
	h := host(t, "")
	(&seat{Terminal: h.Terminal}).form("Go on?")
	h.Type("2")
	h.WaitFor("(•) No")
	h.Type("\r")
	got := h.result()
	if got != `User has answered your questions: "Go on?"="No". You can now continue with the user's answers in mind.` {
		t.Errorf("got %s", got)
	}
	h.end()
}

// A terminal that a full-screen host holds is not drawn on.
func TestFullScreenHostKeepsItsTerminal(t *testing.T) {
	t.Parallel()
	h := host(t, "stty raw -echo; ")
	got := h.result()
	if !strings.HasPrefix(got, "Tell the user now") || !strings.Contains(got, "run mcp-askuser inbox") {
		t.Errorf("got %s", got)
	}
	if out := h.Output(); out != "" {
		t.Errorf("something was drawn: %q", out)
	}
	h.end()
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
