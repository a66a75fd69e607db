package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		"none":        "",
		"empty":       "{}\n",
		"empty_lines": "{\n\n}\n",
		"two":         "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
		"tabs":        "{\n\t\"model\": \"opus\"\n}",
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
		"crooked": "{ \"a\" :1 ,\n \"b\":[ 1,2\n] ,\"hooks\" : { \"PostToolUse\":[ ]\n}}",
		"escapes": "{\n  \"env\": {\n    \"X\": \"\\u003cb\\u003e é </script>\"\n  }\n}\n",
	}
}

// What is installed is what the golden files show for four of them, and means the same beside
// our hooks for all; doing it twice changes nothing; taking it out restores every byte, and what
// cannot be told from the file alone is told by the backup.
func TestClaude(t *testing.T) {
	for name, before := range odd() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), ".claude", "settings.json")
			if before != "" {
				fatal.If(t, writeFile(path, before))
			}
			apply(t, path, false)
			after, err := os.ReadFile(path)
			fatal.If(t, err)
			switch name {
			case "none", "comments", "shared_groups", "windows":
				golden.Check(t, name+".golden", string(after))
			}
			sameBeside(t, []byte(before), after)
			if c, err := forClaude(path, hookLine, false, false); err != nil || !c.Empty() {
				t.Errorf("a second time it changes\n%s%v", c.Diff(), err)
			}
			if found := strings.Count(string(after), hookLine); found != len(mirror.ClaudeCodeEvents()) {
				t.Errorf("%d are installed", found)
			}
			apply(t, path, true)
			got, err := os.ReadFile(path)
			if string(got) != before || (before == "") != os.IsNotExist(err) {
				t.Errorf("restored to %q, want %q", got, before)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"+backupSuffix)); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// forClaude returns the change of our hooks alone.
func forClaude(path, line string, permissions, out bool) (Change, error) {
	c, err := open(path)
	if err != nil {
		return c, err
	}
	c.out = out
	c.After, err = hooks(c.Before, line, permissions, out)
	if err == nil && out {
		err = c.restore()
	}
	return c, err
}

func hooks(data []byte, line string, permissions, out bool) ([]byte, error) {
	return claudeQuestions(Place{Getenv: os.Getenv}).change(data,
		Options{Hook: strings.Fields(line), Permissions: permissions}, out)
}

func writeFile(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600))
}

func apply(t *testing.T, path string, out bool) {
	t.Helper()
	c, err := forClaude(path, hookLine, false, out)
	fatal.If(t, err)
	fatal.If(t, c.Apply())
}

// sameBeside checks that everything but our hooks means what it meant.
func sameBeside(t *testing.T, before, after []byte) {
	t.Helper()
	if len(before) == 0 {
		before = []byte("{}")
	}
	without, err := hooks(after, hookLine, false, true)
	fatal.If(t, err)
	if a, b := meaning(t, before), meaning(t, without); a != b {
		t.Errorf("it meant\n%s\nand means\n%s", a, b)
	}
	if strings.HasPrefix(string(before), "{\n  \"model\"") && !bytes.Equal(before, without) {
		t.Errorf("without a backup it comes back as %q", without)
	}
}

// meaning is a file's JSON, without what is empty in its hooks.
func meaning(t *testing.T, data []byte) string {
	t.Helper()
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
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, step := range []struct {
		permissions, out bool
		want             string
	}{
		{true, false, `"PermissionRequest":[{"hooks":[{"command":"/opt/bin/mcp-askuser hook claude-code --limit 86400 ` +
			`--permissions","timeout":86400,"type":"command"}]}]`},
		{false, false, `"PermissionRequest":[{"hooks":[{"command":"/opt/bin/mcp-askuser hook claude-code --limit ` +
			`86400","timeout":86400,"type":"command"}],"matcher":"AskUserQuestion"}]`},
		{true, false, `--permissions`},
		{true, true, ""},
	} {
		c, err := forClaude(path, hookLine, step.permissions, step.out)
		fatal.If(t, err)
		fatal.If(t, c.Apply())
		got, err := os.ReadFile(path)
		if step.want == "" {
			if !os.IsNotExist(err) {
				t.Errorf("left behind is %s", got)
			}
		} else if text := meaning(t, got); !strings.Contains(text, step.want) {
			t.Errorf("%+v: it is %s", step, text)
		}
	}
}

// What was changed since stays, and an older installation is brought up to date.
func TestClaudeChangedSince(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	fatal.If(t, writeFile(path, "{\n  \"model\": \"opus\"\n}\n"))
	c, err := forClaude(path, `"C:\Program Files\old\mcp-askuser.exe" hook claude-code`, false, false)
	fatal.If(t, err)
	fatal.If(t, c.Apply())
	edited := strings.Replace(string(c.After), `"opus"`, `"sonnet"`, 1)
	fatal.If(t, os.WriteFile(path, []byte(edited), 0o640))
	apply(t, path, false)
	if got, _ := os.ReadFile(path); strings.Contains(string(got), "old") ||
		strings.Count(string(got), hookLine) != len(mirror.ClaudeCodeEvents()) {
		t.Errorf("it is\n%s", got)
	}
	apply(t, path, true)
	if got, _ := os.ReadFile(path); string(got) != "{\n  \"model\": \"sonnet\"\n}\n" {
		t.Errorf("it is %q", got)
	}
}

// Hooks that somebody has put behind ours stay, when ours are brought up to date
// and when they are taken out.
func TestClaudeBeforeOthers(t *testing.T) {
	data, err := hooks([]byte("{}"), "/old/mcp-askuser hook claude-code", false, false)
	fatal.If(t, err)
	others := group{Hooks: []command{{Type: "command", Command: "say done"}}}
	for _, event := range []string{"Stop", "PermissionRequest"} {
		if data, err = setJSON(data, others, []string{"hooks", event, "-"}); err != nil {
			t.Fatal(err)
		}
	}
	if data, err = hooks(data, hookLine, false, false); err != nil || strings.Contains(string(data), "/old/") {
		t.Errorf("brought up to date it is\n%s%v", data, err)
	}
	data, err = hooks(data, hookLine, false, true)
	const want = `{"hooks":{"PermissionRequest":[{"hooks":[{"command":"say ` +
		`done","type":"command"}]}],"Stop":[{"hooks":[{"command":"say done","type":"command"}]}]}}`
	if got := meaning(t, data); err != nil || got != want {
		t.Errorf("without ours it is %s, %v", got, err)
	}
}

// What is not understood is not touched; a link stays one.
func TestClaudeRefuses(t *testing.T) {
	for _, text := range []string{"{", "[]", `{"hooks":[]}`, `{"hooks":{"Stop":{}}}`, "not JSON"} {
		if got, err := hooks([]byte(text), hookLine, false, false); err == nil {
			t.Errorf("%s became %s", text, got)
		}
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "settings.json")
	err := errors.Join(writeFile(path, "{}"), os.Symlink(path, link))
	if err != nil {
		t.Skip(err)
	}
	apply(t, link, false)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
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
	if err := enc.Encode(map[string]any{"description": "Mirror the questions of Claude Code's own dialogs",
		"hooks": hooks}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../plugin/hooks/hooks.json", b.String())
}

// FuzzClaude: whatever a file is, it is left alone or means the same beside our
// hooks, which can be taken out.
func FuzzClaude(f *testing.F) {
	for _, text := range odd() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		after, err := hooks(data, hookLine, false, false)
		if err != nil {
			return
		}
		if again, err := hooks(after, hookLine, false, false); err != nil || !bytes.Equal(again, after) {
			t.Fatalf("%q becomes %q, and then %q, %v", data, after, again, err)
		}
		without, err := hooks(after, hookLine, false, true)
		if err != nil || bytes.Contains(without, []byte(hookLine)) {
			t.Fatalf("%q: %q, %v", after, without, err)
		}
	})
}
