//go:build hosts && unix

package hosts

import (
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

// inTmux starts a host in a tmux with a client, and that in a terminal as start does.
func inTmux(t *testing.T, m *model, dir string, env []string, argv ...string) *host {
	t.Helper()
	inner := []string{"tmux", "-S", filepath.Join(t.TempDir(), "inner"), "-f", "/dev/null"}
	script := `exec env -i TMUX="$TMUX" TMUX_PANE="$TMUX_PANE"`
	for _, word := range slices.Concat(env, argv) {
		script += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	h := start(t, m, dir, env, slices.Concat(inner, []string{"new-session", script})...)
	t.Cleanup(func() { _ = exec.Command(inner[0], append(inner[1:], "kill-server")...).Run() })
	return h
}

// TestTable finds where each host shows a question: in a terminal, in tmux, for one command
// in a terminal, and without a terminal. It logs the time from the call.
func TestTable(t *testing.T) {
	const (
		ownForm  = "requests your input"
		ourForm  = "0 ( ) Other"
		answered = "MongoDB"
		none     = "no way to show the question"
		words    = "To answer my question"
	)
	ask := toolCall{"ask_user_question", json.RawMessage(`{"questions":[{"question":"Which database?","type":"single_choice","options":[{"label":"PostgreSQL"},{"label":"MongoDB"}]}]}`)}
	hosts := map[string]struct {
		env          func(*testing.T, *model, string) []string
		screen, once []string
	}{
		"claude": {func(t *testing.T, m *model, dir string) []string { _, env := claudeEnv(t, m, dir); return env }, []string{bin(t, "claude")}, []string{"-p", "go"}},
		"codex": {func(t *testing.T, m *model, dir string) []string {
			m.env["ASK_SURFACE"] = "auto"
			_, env := codexEnv(t, m, dir)
			return env
		}, []string{bin(t, "codex"), "--no-daemon"}, []string{"exec", "--skip-git-repo-check", "go"}},
		"gemini":   {func(t *testing.T, m *model, _ string) []string { return geminiEnv(t, m) }, []string{bin(t, "gemini")}, []string{"-p", "go"}},
		"opencode": {func(t *testing.T, m *model, _ string) []string { return openCodeEnv(t, m) }, []string{bin(t, "opencode")}, []string{"run", "go"}},
	}
	for _, cell := range []struct{ host, place, shows, keys, want string }{
		{"claude", "terminal", ownForm, "Right Down Enter Enter", answered},
		{"claude", "tmux", ourForm, "2 Enter", answered},
		{"claude", "once", ourForm, "2 Enter", answered},
		{"claude", "none", "", "", none},
		{"codex", "terminal", "enter to submit", "= 2 Enter", answered},
		{"codex", "tmux", "enter to submit", "= 2 Enter", answered},
		{"codex", "once", "", "", none},
		{"codex", "none", "", "", none},
		{"gemini", "terminal", "", "", words},
		{"gemini", "tmux", ourForm, "2 Enter", answered},
		{"gemini", "once", "", "", none},
		{"gemini", "none", "", "", none},
		{"opencode", "terminal", "To answer: mcp-askuser inbox", "", words},
		{"opencode", "tmux", ourForm, "2 Enter", answered},
		{"opencode", "once", ourForm, "2 Enter", answered},
		{"opencode", "none", "", "", none},
	} {
		t.Run(cell.host+"/"+cell.place, func(t *testing.T) {
			h, m, dir := hosts[cell.host], newModel(t), t.TempDir()
			env := h.env(t, m, dir)
			once := slices.Concat(h.screen[:1], h.once)
			p := &person{t: t}
			switch cell.place {
			case "terminal":
				p.host = start(t, m, dir, env, h.screen...)
				p.ready()
			case "tmux":
				p.host = inTmux(t, m, dir, env, h.screen...)
				p.ready()
			case "once":
				p.host = start(t, m, dir, env, once...)
			case "none":
				cmd := exec.Command(once[0], once[1:]...)
				cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, &syscall.SysProcAttr{Setsid: true}
				background(t, cmd)
			}
			m.calls <- ask
			begin := time.Now()
			if cell.shows != "" {
				p.expect(cell.shows)
				t.Log("visible after", time.Since(begin).Round(10*time.Millisecond))
			}
			if cell.keys != "" {
				p.pause(1500 * time.Millisecond)
				for _, key := range strings.Fields(cell.keys) {
					p.press(key)
					p.pause(400 * time.Millisecond)
				}
			}
			if got := m.given(t); !strings.Contains(got, cell.want) {
				t.Errorf("given %s", got)
			}
			t.Log("with the model after", time.Since(begin).Round(10*time.Millisecond))
		})
	}
}
