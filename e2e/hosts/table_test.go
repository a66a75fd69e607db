//go:build hosts && unix

package hosts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// geminiEnv is the environment of a Gemini CLI with a home of its own.
func geminiEnv(t *testing.T, m *model) []string {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(home, ".gemini", "settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},
		"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`)
	env := []string{"HOME=" + home, "GEMINI_API_KEY=x", "GEMINI_MODEL=gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL=" + m.URL, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"ASK_MAX_ROUNDS=0", "MCP_ASKUSER_DIR=" + filepath.Join(home, "desk")}
	run(t, "", env, program(t), "install", "gemini")
	return env
}

// openCodeEnv is the environment of an OpenCode with a home of its own, which installs no
// packages.
func openCodeEnv(t *testing.T, m *model) []string {
	home := t.TempDir()
	config := filepath.Join(home, ".config", "opencode")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(config, "opencode.json"), fmt.Sprintf(`{"autoupdate":false,"model":"scripted/m","small_model":"scripted/m",
		"provider":{"scripted":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":%q,"apiKey":"x"},"models":{"m":{}}}}}`, m.URL+"/v1"))
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "npm_config_registry=" + m.URL, "npm_config_fetch_retries=0",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "ASK_MAX_ROUNDS=0", "MCP_ASKUSER_DIR=" + filepath.Join(home, "desk")}
	run(t, "", env, program(t), "install", "opencode", "--questions")
	return env
}

// copilotEnv is the environment of a Copilot CLI with a home of its own, and without an
// account.
func copilotEnv(t *testing.T, m *model, dir string) []string {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".copilot"), 0o700); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(home, ".copilot", "config.json"), text(map[string]any{"trustedFolders": []string{dir}}))
	env := []string{"HOME=" + home, "COPILOT_PROVIDER_BASE_URL=" + m.URL + "/v1", "COPILOT_MODEL=m", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"ASK_MAX_ROUNDS=0", "MCP_ASKUSER_DIR=" + filepath.Join(home, "desk")}
	run(t, "", env, program(t), "install", "copilot")
	return env
}

// inTmux starts a host in a tmux with a client, and that in a terminal as start does.
func inTmux(t *testing.T, m *model, dir string, env []string, argv ...string) *host {
	t.Helper()
	inner := []string{"tmux", "-S", filepath.Join(t.TempDir(), "inner"), "-f", "/dev/null"}
	script := `exec env -i TMUX="$TMUX" TMUX_PANE="$TMUX_PANE"`
	for _, word := range slices.Concat(env, argv) {
		script += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	h := start(t, m, dir, env, slices.Concat(inner, []string{"new-session", script})...)
	t.Cleanup(func() {
		pid, _ := exec.Command(inner[0], slices.Concat(inner[1:], []string{"display-message", "-p", "#{pane_pid}"})...).Output()
		_ = exec.Command(inner[0], append(inner[1:], "kill-server")...).Run()
		waitForEnd(strings.TrimSpace(string(pid)))
	})
	return h
}

// cell is a cell of the table of clients: where a host shows a question, and what its model
// gets of it.
type cell struct {
	host, place string
	shows       string // on the screen, if the host shows it
	keys        string // that answer it
	want        string // what the model gets
}

// What a screen shows, and what a model gets.
const (
	claudeForm  = "requests your input"
	codexForm   = "enter to submit"
	copilotForm = "Other (type your answer)"
	ourForm     = "0 ( ) Other"
	toast       = "To answer: mcp-askuser inbox"
	answered    = "MongoDB"
	unavailable = "no way to show the question"
	agentsWords = "To answer my question"
)

// cells are all that can be measured.
var cells = []cell{
	{"claude", "plain terminal", claudeForm, "Right Down Enter Enter", answered},
	{"claude", "tmux", ourForm, "2 Enter", answered},
	{"claude", "one command", ourForm, "2 Enter", answered},
	{"claude", "no terminal", "", "", unavailable},
	{"claude", "editor", "Which database?", "MongoDB", answered},
	{"claude", "editor without forms", "", "", unavailable},
	{"codex", "plain terminal", codexForm, "= 2 Enter", answered},
	{"codex", "tmux", codexForm, "= 2 Enter", answered},
	{"codex", "one command", "", "", unavailable},
	{"codex", "no terminal", "", "", unavailable},
	{"codex", "editor", "Which database?", "=2", answered},
	{"codex", "editor without forms", "", "", agentsWords},
	{"copilot", "plain terminal", copilotForm, "Down Down Enter", answered},
	{"copilot", "tmux", copilotForm, "Down Down Enter", answered},
	{"copilot", "one command", ourForm, "2 Enter", answered},
	{"copilot", "no terminal", "", "", unavailable},
	{"copilot", "editor", "", "", agentsWords},
	{"copilot", "editor without forms", "", "", agentsWords},
	{"gemini", "plain terminal", "", "", agentsWords},
	{"gemini", "tmux", ourForm, "2 Enter", answered},
	{"gemini", "one command", "", "", unavailable},
	{"gemini", "no terminal", "", "", unavailable},
	{"gemini", "editor", "", "", agentsWords},
	{"gemini", "editor without forms", "", "", agentsWords},
	{"opencode", "plain terminal", toast, "", agentsWords},
	{"opencode", "tmux", ourForm, "2 Enter", answered},
	{"opencode", "one command", ourForm, "2 Enter", answered},
	{"opencode", "no terminal", "", "", unavailable},
	{"opencode", "editor", "", "", agentsWords},
	{"opencode", "editor without forms", "", "", agentsWords},
}

// row prints a cell as the documentation has it: the client, the place, what it shows after
// how long, the keys, and what the model gets.
func row(t *testing.T, c cell, bin string, after time.Duration) {
	t.Helper()
	named := map[string]string{claudeForm: "own form", codexForm: "own form", copilotForm: "own form", ourForm: "our form", toast: "a toast", "Which database?": "the editor's form",
		answered: "answered", unavailable: "unavailable", agentsWords: "the agent's words", "": "nothing"}
	_, _ = fmt.Fprintf(t.Output(), "| %s %s | %s | %s | %.1f s | %s | %s |\n", c.host, version(t, bin), c.place, cmp.Or(named[c.shows], c.shows), after.Seconds(), c.keys, named[c.want])
}

// version is that of the package of a program.
func version(t *testing.T, program string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(program)
	for ; err == nil && dir != "/"; dir = filepath.Dir(dir) {
		var manifest struct{ Version string }
		if data, none := os.ReadFile(filepath.Join(dir, "package.json")); none == nil && json.Unmarshal(data, &manifest) == nil && manifest.Version != "" {
			return manifest.Version
		}
	}
	t.Fatalf("%s has no version: %v", program, err)
	return ""
}

// TestTable finds where each host shows a question: in a terminal, in tmux, for one command
// in a terminal, without a terminal, and in an editor over ACP. It prints the table's rows,
// with the time from the call.
func TestTable(t *testing.T) {
	ask := toolCall{"ask_user_question", json.RawMessage(`{"questions":[{"question":"Which database?","type":"single_choice","options":[{"label":"PostgreSQL"},{"label":"MongoDB"}]}]}`)}
	hosts := map[string]struct {
		env                 func(*testing.T, *model, string) []string
		screen, once, agent []string // agent is over ACP
	}{
		"claude": {func(t *testing.T, m *model, dir string) []string { _, env := claudeEnv(t, m, dir); return env }, []string{bin(t, "claude")}, []string{"-p", "go"}, claudeACP(t)},
		"codex": {func(t *testing.T, m *model, dir string) []string {
			m.env["ASK_SURFACE"] = "auto"
			_, env := codexEnv(t, m, dir)
			return env
		}, []string{bin(t, "codex"), "--no-daemon"}, []string{"exec", "--skip-git-repo-check", "go"}, []string{"node", bin(t, "codex-acp")}},
		"copilot":  {copilotEnv, []string{bin(t, "copilot")}, []string{"-p", "go"}, []string{bin(t, "copilot"), "--acp"}},
		"gemini":   {func(t *testing.T, m *model, _ string) []string { return geminiEnv(t, m) }, []string{bin(t, "gemini")}, []string{"-p", "go"}, []string{bin(t, "gemini"), "--acp"}},
		"opencode": {func(t *testing.T, m *model, _ string) []string { return openCodeEnv(t, m) }, []string{bin(t, "opencode")}, []string{"run", "go"}, []string{bin(t, "opencode"), "acp"}},
	}
	for _, c := range cells {
		t.Run(c.host+"/"+c.place, func(t *testing.T) {
			h, m, dir := hosts[c.host], newModel(t), t.TempDir()
			env := h.env(t, m, dir)
			once := slices.Concat(h.screen[:1], h.once)
			shown := h.screen[0]
			p := &person{t: t}
			var e *editor
			switch c.place {
			case "plain terminal":
				p.host = start(t, m, dir, env, h.screen...)
				p.ready()
			case "tmux":
				p.host = inTmux(t, m, dir, env, h.screen...)
				p.ready()
			case "one command":
				p.host = start(t, m, dir, env, once...)
			case "no terminal":
				cmd := exec.Command(once[0], once[1:]...)
				cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, &syscall.SysProcAttr{Setsid: true}
				background(t, cmd)
			case "editor", "editor without forms":
				e = edit(t, h.agent, env, c.place == "editor")
				shown = h.agent[slices.IndexFunc(h.agent, filepath.IsAbs)]
			}
			m.calls <- ask
			begin := time.Now()
			var visible time.Duration
			switch {
			case c.shows == "":
			case e != nil:
				f := within(t, e.forms)
				visible = time.Since(begin)
				if !strings.Contains(f.Message, c.shows) {
					t.Errorf("the form shows %q", f.Message)
				}
				p.pause(1500 * time.Millisecond) // what comes sooner counts as the host's own
				f.reply <- accept("q1", c.keys)
			default:
				p.expect(c.shows)
				visible = time.Since(begin)
				p.pause(1500 * time.Millisecond)
				for _, key := range strings.Fields(c.keys) {
					p.press(key)
					p.pause(400 * time.Millisecond)
				}
			}
			if got := m.given(t); !strings.Contains(got, c.want) {
				t.Errorf("given %s", got)
			}
			row(t, c, shown, cmp.Or(visible, time.Since(begin)))
		})
	}
}
