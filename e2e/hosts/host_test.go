//go:build hosts && unix

package hosts

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/waittest"
)

// host is a real client in a real terminal, with a scripted model behind it
// and our server beside it.
type host struct {
	t testing.TB
	*model
	socket string
	desk   string // the directory of our server's store
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

// saveCodexConfig gives a Codex a home with a model at an address, and returns its
// environment. more is the rest of its configuration.
func saveCodexConfig(t *testing.T, home, dir, url, model string, more ...string) (env []string) {
	t.Helper()
	save(t, filepath.Join(home, "config.toml"), fmt.Sprintf(`
model = %q
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
stream_idle_timeout_ms = 3600000
[projects.%q]
trust_level = "trusted"
`, model, url+"/v1", dir)+strings.Join(more, "\n"))
	return []string{"CODEX_HOME=" + home, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
}

// codexEnv is the environment of a Codex with a home of its own. Under its policy it would
// decline every form; install --forms sets the one that shows them.
func codexEnv(t *testing.T, m *model, dir string) (home string, env []string) {
	home = t.TempDir()
	server := []string{"[mcp_servers.askuser]", `command = "replaced"`, "[mcp_servers.askuser.env]", `ASK_MAX_ROUNDS = "0"`, fmt.Sprintf("MCP_ASKUSER_DIR = %q", filepath.Join(home, "desk"))}
	for name, value := range m.env {
		server = append(server, fmt.Sprintf("%s = %q", name, value))
	}
	env = append(saveCodexConfig(t, home, dir, m.URL, "scripted", server...), "MCP_ASKUSER_DIR="+filepath.Join(home, "desk"))
	run(t, "", env, program(t), "install", "codex", "--forms")
	return home, env
}

// codex starts Codex, whose daemon would outlive the test.
func codex(t *testing.T, m *model) *host {
	dir := t.TempDir()
	home, env := codexEnv(t, m, dir)
	h := start(t, m, dir, env, bin(t, "codex"), "--no-daemon")
	h.desk = filepath.Join(home, "desk")
	return h
}

// claudeEnv is the environment of a Claude Code with a home of its own, which has our
// server by mcp-askuser install, with the flags of more.
func claudeEnv(t *testing.T, m *model, dir string, more ...string) (home string, env []string) {
	t.Helper()
	home = t.TempDir()
	key := "sk-ant-api03-no-key-at-all-000000000000"
	settings := map[string]any{"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": map[string]any{"approved": []string{key[len(key)-20:]}},
		"projects": map[string]any{dir: map[string]any{"hasTrustDialogAccepted": true, "allowedTools": []string{}}}}
	save(t, filepath.Join(home, ".claude.json"), text(settings))
	save(t, filepath.Join(home, "settings.json"), `{"permissions":{"defaultMode":"default"}}`) // else a model judges each call
	env = []string{"HOME=" + home, "CLAUDE_CONFIG_DIR=" + home, "ANTHROPIC_BASE_URL=" + m.URL, "ANTHROPIC_API_KEY=" + key, "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"ASK_MAX_ROUNDS=0", "MCP_ASKUSER_DIR=" + filepath.Join(home, "desk")}
	for _, args := range [][]string{{"install", "claude-code"}, append([]string{"install", "claude-code"}, more...)} {
		run(t, "", env, program(t), args...)
	}
	return home, env
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

// claude starts Claude Code.
func claude(t *testing.T, m *model) *host {
	dir := t.TempDir()
	home, env := claudeEnv(t, m, dir)
	for name, value := range m.env {
		env = append(env, name+"="+value)
	}
	h := start(t, m, dir, env, bin(t, "claude"))
	h.desk = filepath.Join(home, "desk")
	return h
}

func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program is our program, built: HOSTS_PROGRAM, or what make build makes.
func program(t *testing.T) string {
	t.Helper()
	return existing(t, cmp.Or(os.Getenv("HOSTS_PROGRAM"), "../../bin/mcp-askuser"))
}

// bin is a host's program, of the packages in HOSTS_MODULES or here.
func bin(t *testing.T, name string) string {
	t.Helper()
	path := map[string]string{"codex": ".bin/codex", "claude": "@anthropic-ai/claude-code-linux-x64/claude",
		"claude-agent-acp": "@agentclientprotocol/claude-agent-acp/dist/index.js", "codex-acp": "@agentclientprotocol/codex-acp/dist/index.js",
		"copilot": "@github/copilot-linux-x64/copilot", "sdk": "@anthropic-ai/claude-agent-sdk/sdk.mjs", "gemini": ".bin/gemini", "opencode": "opencode-linux-x64/bin/opencode"}[name]
	return existing(t, filepath.Join(cmp.Or(os.Getenv("HOSTS_MODULES"), "node_modules"), path))
}

func existing(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
