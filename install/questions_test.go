package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
	"mcp-askuser/mirror"
)

const hookLine = "/opt/bin/mcp-askuser hook claude-code"

// odd are settings as people have them.
func odd() map[string]string {
	return map[string]string{
		"none": "",
		"two":  "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
		"four": "{\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"hooks\": [\n         " +
			"           {\"type\": \"command\", \"command\": \"say done\"}\n                ]\n            }\n        ]\n    " +
			"},\n    \"model\": \"opus\"\n}\n",
		"line": `{"model":"opus","hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command",` +
			`"command":"x"}]}]}}`,
		"windows": "{\r\n  \"model\": \"opus\"\r\n}\r\n",
		"mark":    "\ufeff{\n  \"model\": \"opus\"\n}\n",
		"comments": "// mine\n{\n  // the model\n  \"model\": \"opus\", /* good */\n  \"hooks\": {\n    \"Stop\": [ " +
			"/* none yet */ ],\n  },\n}\n",
		"empty_hooks": "{\n  \"hooks\": {}\n}\n",
		"shared_groups": "{\n  \"hooks\": {\n    \"PermissionRequest\": [\n      {\n        \"matcher\": " +
			"\"AskUserQuestion\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            " +
			"\"command\": \"beep\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
	}
}

func hooks(data []byte, line string, permissions, out bool) ([]byte, error) {
	return claudeQuestions(Place{Getenv: os.Getenv}).change(data,
		Options{Hook: strings.Fields(line), Permissions: permissions}, out)
}

// What is installed is what the golden files show for four of them, and means the same beside
// our hooks for all; taking it out leaves what was there.
func TestClaude(t *testing.T) {
	for name, before := range odd() {
		t.Run(name, func(t *testing.T) {
			after, err := hooks([]byte(before), hookLine, false, false)
			fatal.If(t, err)
			switch name {
			case "none", "comments", "shared_groups", "windows":
				golden.Check(t, name+".golden", string(after))
			}
			if found := strings.Count(string(after), hookLine); found != len(mirror.ClaudeCodeEvents()) {
				t.Errorf("%d are installed", found)
			}
			without, err := hooks(after, hookLine, false, true)
			fatal.If(t, err)
			if a, b := meaning(t, []byte(before)), meaning(t, without); a != b {
				t.Errorf("it meant\n%s\nand means\n%s", a, b)
			}
			if strings.HasPrefix(before, "{\n  \"model\"") && before != string(without) {
				t.Errorf("without a backup it comes back as %q", without)
			}
		})
	}
}

// meaning is a file's JSON, without what is empty in its hooks.
func meaning(t *testing.T, data []byte) string {
	t.Helper()
	if len(data) == 0 {
		return "{}"
	}
	plain, err := hujson.Standardize(bytes.TrimPrefix(bytes.Clone(data), []byte("\ufeff")))
	fatal.If(t, err)
	var v map[string]any
	fatal.If(t, json.Unmarshal(plain, &v))
	if hooks, ok := v["hooks"].(map[string]any); ok {
		for event, list := range hooks {
			if l, ok := list.([]any); ok && len(l) == 0 {
				delete(hooks, event)
			}
		}
		if len(hooks) == 0 {
			delete(v, "hooks")
		}
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// With permissions the hook stands beside the dialogs of every tool, and is told
// so; they can be had later, and given up again.
func TestClaudePermissions(t *testing.T) {
	const hook = `"PermissionRequest":[{"hooks":[{"command":"/opt/bin/mcp-askuser hook claude-code --limit 86400`
	const every = hook + ` --permissions","timeout":86400,"type":"command"}]}]`
	const own = hook + `","timeout":86400,"type":"command"}],"matcher":"AskUserQuestion"}]`
	var data []byte
	for _, want := range []string{every, own, every} {
		var err error
		data, err = hooks(data, hookLine, want == every, false)
		fatal.If(t, err)
		if text := meaning(t, data); !strings.Contains(text, want) {
			t.Errorf("it is %s, want %s", text, want)
		}
	}
}

// A flag of another program's hook is none of ours.
func TestForeignPermissions(t *testing.T) {
	dir := t.TempDir()
	p := Place{Getenv: func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": dir}[name] }}
	foreign := `{"hooks":{"Stop":[{"hooks":[{"command":"audit --permissions"}]}]}}`
	data, err := hooks([]byte(foreign), hookLine, false, false)
	fatal.If(t, errors.Join(err, os.WriteFile(p.ClaudeSettings(), data, 0o600)))
	c, _ := ByName("claude-code")
	q, _, err := c.Questions(p, strings.Fields(hookLine))
	if !q.Current || q.Permissions || err != nil {
		t.Errorf("%+v, %v", q, err)
	}
	data = bytes.Replace(data, []byte("{"), []byte(`{"disableAllHooks": true,`), 1)
	fatal.If(t, os.WriteFile(p.ClaudeSettings(), data, 0o600))
	if _, _, err = c.Questions(p, strings.Fields(hookLine)); err == nil {
		t.Error("hooks that are switched off bring questions here")
	}
}

// An older installation is brought up to date, and what was changed since stays: the hooks that
// another program has put behind ours, also when ours are taken out.
func TestClaudeChangedSince(t *testing.T) {
	data, err := hooks(nil, "/bin/renamed hook claude-code", true, false)
	fatal.If(t, err)
	data, err = hooks(data, "/bin/renamed hook claude-code", false, true)
	if meaning(t, data) != "{}" || err != nil {
		t.Errorf("of a renamed program %s stays, %v", data, err)
	}
	old := Options{Hook: []string{"/old ones/mcp-askuser", "hook", "claude-code"}}
	data, err = claudeQuestions(Place{Getenv: os.Getenv}).change([]byte("{\n  \"model\": \"opus\"\n}\n"), old, false)
	if err != nil || !strings.Contains(string(data), `"'/old ones/mcp-askuser' hook claude-code --limit`) {
		t.Fatalf("%v: %s", err, data)
	}
	others := group{Hooks: []command{{Type: "command", Command: "say done"}}}
	for _, event := range []string{"Stop", "PermissionRequest"} {
		data, err = setJSON(data, others, []string{"hooks", event, "-"})
		fatal.If(t, err)
	}
	data, err = hooks(data, hookLine, false, false)
	if err != nil || strings.Contains(string(data), "/old ones/") ||
		strings.Count(string(data), hookLine) != len(mirror.ClaudeCodeEvents()) {
		t.Errorf("brought up to date it is\n%s%v", data, err)
	}
	data, err = hooks(data, hookLine, false, true)
	const want = `{"hooks":{"PermissionRequest":[{"hooks":[{"command":"say done","type":"command"}]}],` +
		`"Stop":[{"hooks":[{"command":"say done","type":"command"}]}]},"model":"opus"}`
	if got := meaning(t, data); err != nil || got != want {
		t.Errorf("without ours it is %s, %v", got, err)
	}
}

// What is not understood is not touched.
func TestClaudeRefuses(t *testing.T) {
	for _, text := range []string{"[]", `{"hooks":[]}`, `{"hooks":{"Stop":{}}}`} {
		if got, err := hooks([]byte(text), hookLine, false, false); err == nil {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// The plugin in the repository has the hooks that this version installs; the
// programs are looked up where the host runs.
func TestClaudePlugin(t *testing.T) {
	const line = "exec mcp-askuser hook claude-code"
	hooks := map[string][]group{}
	for _, event := range mirror.ClaudeCodeEvents() {
		g := groupFor(event, line, false)
		if event == "PermissionRequest" {
			g.Hooks[0].Command = strings.ReplaceAll(line, "claude-code", fmt.Sprintf("claude-code --limit %d", hookLimit))
		}
		hooks[event] = []group{g}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	fatal.If(t, enc.Encode(map[string]any{"description": "Mirror the questions of Claude Code's own dialogs",
		"hooks": hooks}))
	golden.Check(t, "../../plugin/hooks/hooks.json", b.String())
}
