//go:build hosts && unix

package hosts

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// host is a real client in a real terminal, with a scripted model behind it
// and our server beside it.
type host struct {
	t testing.TB
	*model
	socket string
}

// start runs a host's command in a terminal of 80 by 24, and has its model wait
// for calls.
func start(t *testing.T, m *model, dir string, env []string, argv ...string) *host {
	t.Helper()
	h := &host{t: t, model: m, socket: filepath.Join(t.TempDir(), "tmux")}
	cmd := []string{"-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-c", dir, "env", "-i"}
	cmd = append(append(cmd, env...), argv...)
	h.tmux(cmd...)
	pid := strings.TrimSpace(h.tmux("display-message", "-p", "-t", ":0.0", "#{pane_pid}"))
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", h.socket, "kill-server").Run() // unless the program has ended
		waitForEnd(pid)
	})
	return h
}

// waitForEnd waits for a process that still writes its logs.
func waitForEnd(pid string) {
	waittest.Until(5*time.Second, func() bool { return exec.Command("kill", "-0", pid).Run() != nil })
}

func (h *host) tmux(args ...string) string {
	h.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", h.socket}, args...)...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// screen is what the host shows.
func (h *host) screen() string { return h.tmux("capture-pane", "-p", "-t", ":0.0") }

// press sends one key by tmux's name of it; write sends text as it is.
func (h *host) press(key string)  { h.tmux("send-keys", "-t", ":0.0", key) }
func (h *host) write(text string) { h.tmux("send-keys", "-t", ":0.0", "-l", "--", text) }

// expect waits until the screen shows one of some texts.
func (h *host) expect(what ...string) string {
	h.t.Helper()
	screen := ""
	if !waittest.Until(3*time.Minute, func() bool { // a host may take long to start
		screen = h.screen()
		return slices.ContainsFunc(what, func(text string) bool { return strings.Contains(screen, text) })
	}) {
		h.t.Fatalf("the screen never showed %q:\n%s", what, screen)
	}
	return screen
}

// ready begins a turn of the agent.
func (h *host) ready() {
	h.t.Helper()
	h.expect("askuser", "Ask Codex", "❯", "Type your message", "Ask anything")
	waittest.Pass(h.t.Context(), 2*time.Second)
	for i := range 60 { // a host that is not ready takes Enter for a new line, or has no tools yet
		if i%5 == 0 {
			h.write("go")
		}
		if waittest.Until(time.Second, h.asked.Load) {
			return
		}
		h.press("Enter")
	}
	h.t.Fatalf("the agent does not begin:\n%s", h.screen())
}

// run runs a program to its end and returns what it printed.
func run(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return string(out)
}

func save(t *testing.T, path, text string) {
	t.Helper()
	fatal.If(t, os.WriteFile(path, []byte(text), 0o600))
}

// program is our program, built: HOSTS_PROGRAM, or what make build makes.
func program(t *testing.T) string {
	t.Helper()
	return existing(t, cmp.Or(os.Getenv("HOSTS_PROGRAM"), "../../bin/mcp-askuser"))
}

// bin is a host's program, of the packages in HOSTS_MODULES or in e2e/npm/hosts.
func bin(t *testing.T, name string) string {
	t.Helper()
	path := map[string]string{
		"codex": ".bin/codex", "claude": "@anthropic-ai/claude-code-linux-x64/claude",
		"claude-agent-acp": "@agentclientprotocol/claude-agent-acp/dist/index.js", "codex-acp": "@agentclientprotocol/codex-acp/dist/index.js",
		"copilot": "@github/copilot-linux-x64/copilot",
		"gemini":  ".bin/gemini", "opencode": "opencode-linux-x64/bin/opencode",
	}[name]
	return existing(t, filepath.Join(cmp.Or(os.Getenv("HOSTS_MODULES"), "../npm/hosts/node_modules"), path))
}

func existing(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	fatal.If(t, err)
	return path
}

// background starts a program, and ends it and its children with the test: they still
// write their logs.
func background(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	fatal.If(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		waittest.Until(5*time.Second, func() bool { return syscall.Kill(-cmd.Process.Pid, 0) != nil })
	})
}
