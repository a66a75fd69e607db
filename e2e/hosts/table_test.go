//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

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

// answerHere answers the open question as the user, outside the host.
func answerHere(t *testing.T, env []string) {
	t.Helper()
	at := slices.IndexFunc(env, func(entry string) bool { return strings.HasPrefix(entry, local.EnvDir+"=") })
	d := desktest.Open(t, strings.TrimPrefix(env[at], local.EnvDir+"="))
	var open []desk.Record
	if !waittest.Until(30*time.Second, func() bool { open, _ = d.Pending(t.Context()); return len(open) == 1 }) {
		t.Fatal("no question on the desk")
	}
	reply, err := open[0].ParseReply([]byte(`{"question-0":"MongoDB"}`), true)
	fatal.If(t, err)
	if _, err := d.Reply(t.Context(), open[0].ID, reply, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
}

// cell is a cell of the table of clients: where a host shows a question, and what its model
// gets of it.
type cell struct {
	host, place string
	shows       string // on the screen, if the host shows it
	keys        string // that answer it; none where it is answered on the desk
	want        string // what the model gets
}

// Of a host's own question, the place has this suffix.
const ownQuestion = ", its own question"

// What a screen shows, and what a model gets.
const (
	claudeForm  = "requests your input"
	claudeOwn   = "Type something"
	codexForm   = "enter to submit"
	copilotForm = "Other (type your answer)"
	ourForm     = "0 ( ) Other"
	answered    = "MongoDB"
	unavailable = "no way to show the question"
	agentsWords = "To answer my question"
)

// cells are all that can be measured.
var cells = []cell{
	{"claude", "plain terminal", claudeForm, "Right Down Enter Enter", answered},
	{"claude", "plain terminal" + ownQuestion, claudeOwn, "2", answered},
	{"claude", "tmux" + ownQuestion, claudeOwn, "", answered},
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
	{"opencode", "plain terminal", "", "", agentsWords},
	{"opencode", "tmux", ourForm, "2 Enter", answered},
	{"opencode", "one command", ourForm, "2 Enter", answered},
	{"opencode", "no terminal", "", "", unavailable},
	{"opencode", "editor", "", "", agentsWords},
	{"opencode", "editor without forms", "", "", agentsWords},
}

// The calls of the test: one of our tool, and one of Claude Code's own.
var (
	ours = toolCall{"ask_user_question", json.RawMessage(`{"questions":[{"question":"Which database?","type":"single_choice",` +
		`"options":[{"label":"PostgreSQL"},{"label":"MongoDB"}]}]}`)}
	own = toolCall{"AskUserQuestion", json.RawMessage(`{"questions":[{"question":"Which database?","header":"Database",` +
		`"multiSelect":false,"options":[{"label":"PostgreSQL","description":"Relational"},` +
		`{"label":"MongoDB","description":"Documents"}]}]}`)}
)

// client is how a host is started.
type client struct {
	env                 func(t *testing.T, m *model, dir string) []string
	screen, once, agent []string // with a screen, for one command, and over ACP
}

func clients(t *testing.T) map[string]client {
	claude, codex, copilot := bin(t, "claude"), bin(t, "codex"), bin(t, "copilot")
	gemini, openCode := bin(t, "gemini"), bin(t, "opencode")
	return map[string]client{
		"claude":   {claudeEnv, []string{claude}, []string{claude, "-p", "go"}, []string{"node", bin(t, "claude-agent-acp")}},
		"codex":    {codexEnv, []string{codex, "--no-daemon"}, []string{codex, "exec", "--skip-git-repo-check", "go"}, []string{"node", bin(t, "codex-acp")}},
		"copilot":  {copilotEnv, []string{copilot}, []string{copilot, "-p", "go"}, []string{copilot, "--acp"}},
		"gemini":   {geminiEnv, []string{gemini}, []string{gemini, "-p", "go"}, []string{gemini, "--acp"}},
		"opencode": {openCodeEnv, []string{openCode}, []string{openCode, "run", "go"}, []string{openCode, "acp"}},
	}
}

// TestTable finds where each host shows a question: in a terminal, in tmux, for one command
// in a terminal, without a terminal, and in an editor over ACP. It logs the time from the call
// until the question is shown.
func TestTable(t *testing.T) {
	all := clients(t)
	for _, c := range cells {
		t.Run(c.host+"/"+c.place, func(t *testing.T) {
			h, m, dir := all[c.host], newModel(t), t.TempDir()
			env := h.env(t, m, dir)
			var e *editor
			var p *host
			place, isOwn := strings.CutSuffix(c.place, ownQuestion)
			switch place {
			case "plain terminal":
				p = start(t, m, dir, env, h.screen...)
				p.ready()
			case "tmux":
				p = inTmux(t, m, dir, env, h.screen...)
				p.ready()
			case "one command":
				p = start(t, m, dir, env, h.once...)
			case "no terminal":
				cmd := exec.Command(h.once[0], h.once[1:]...)
				cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, &syscall.SysProcAttr{Setsid: true}
				background(t, cmd)
			case "editor", "editor without forms":
				e = edit(t, h.agent, env, place == "editor")
			}
			if isOwn {
				m.calls <- own
			} else {
				m.calls <- ours
			}
			begin := time.Now()
			switch {
			case c.shows == "":
			case e != nil:
				e.answers(t, c, begin)
			default:
				p.answers(t, c, begin, env)
			}
			if got := m.given(t); !strings.Contains(got, c.want) {
				t.Errorf("given %s", got)
			}
			if isOwn && !waittest.Until(10*time.Second, func() bool { return !strings.Contains(p.screen(), c.shows) }) {
				t.Errorf("the dialog stays:\n%s", p.screen())
			}
			t.Logf("%s %s: %s", c.host, version(t, h.screen[0]), c.want)
		})
	}
}

// answers answers what the screen shows, there or on the desk.
func (h *host) answers(t *testing.T, c cell, begin time.Time, env []string) {
	t.Helper()
	h.expect(c.shows)
	t.Log("shown after", time.Since(begin))
	waittest.Pass(t.Context(), 1500*time.Millisecond) // what comes sooner counts as the host's own
	if c.keys == "" && c.want == answered {
		answerHere(t, env)
	}
	for _, key := range strings.Fields(c.keys) {
		h.press(key)
		waittest.Pass(t.Context(), 400*time.Millisecond)
	}
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
