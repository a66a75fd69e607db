//go:build hosts && unix

package hosts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mcp-askuser/internal/fatal"
)

// shared is what every host has in its environment: a home of its own, and a desk in it.
func shared(home string) []string {
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"ASK_MAX_ROUNDS=0", "MCP_ASKUSER_DIR=" + filepath.Join(home, "desk")}
}

// claudeEnv is the environment of a Claude Code with a home of its own, whose own questions
// come here, too.
func claudeEnv(t *testing.T, m *model, dir string) []string {
	t.Helper()
	home := t.TempDir()
	key := "sk-ant-api03-no-key-at-all-000000000000"
	settings := map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{key[len(key)-20:]}},
		"projects":              map[string]any{dir: map[string]any{"hasTrustDialogAccepted": true, "allowedTools": []string{}}},
	}
	save(t, filepath.Join(home, ".claude.json"), text(settings))
	save(t, filepath.Join(home, "settings.json"), `{"permissions":{"defaultMode":"default"}}`) // else a model judges each call
	env := append(shared(home), "CLAUDE_CONFIG_DIR="+home, "ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY="+key,
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1")
	run(t, "", env, program(t), "install", "claude-code", "--questions")
	return env
}

// codexEnv is the environment of a Codex with a home of its own, and the policy that asks for
// no approval and shows forms.
func codexEnv(t *testing.T, m *model, dir string) []string {
	home := t.TempDir()
	desk := filepath.Join(home, "desk")
	save(t, filepath.Join(home, "config.toml"), fmt.Sprintf(`
model = "scripted"
model_provider = "scripted"
approval_policy = { granular = { sandbox_approval = false, rules = false, mcp_elicitations = true, request_permissions = false, skill_approval = false } }
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
stream_idle_timeout_ms = 3600000
[projects.%q]
trust_level = "trusted"
[mcp_servers.askuser]
command = "replaced"
[mcp_servers.askuser.env]
ASK_MAX_ROUNDS = "0"
MCP_ASKUSER_DIR = %q
`, m.URL+"/v1", dir, desk))
	env := append(shared(home), "CODEX_HOME="+home)
	run(t, "", env, program(t), "install", "codex")
	return env
}

// geminiEnv is the environment of a Gemini CLI with a home of its own.
func geminiEnv(t *testing.T, m *model, _ string) []string {
	home := t.TempDir()
	fatal.If(t, os.Mkdir(filepath.Join(home, ".gemini"), 0o700))
	save(t, filepath.Join(home, ".gemini", "settings.json"),
		`{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},
		"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`)
	env := append(shared(home), "GEMINI_API_KEY=x", "GEMINI_MODEL=gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL="+m.URL)
	run(t, "", env, program(t), "install", "gemini")
	return env
}

// openCodeEnv is the environment of an OpenCode with a home of its own, which installs no
// packages.
func openCodeEnv(t *testing.T, m *model, _ string) []string {
	home := t.TempDir()
	config := filepath.Join(home, ".config", "opencode")
	fatal.If(t, os.MkdirAll(config, 0o700))
	save(t, filepath.Join(config, "opencode.json"), fmt.Sprintf(`{"autoupdate":false,"model":"scripted/m","small_model":"scripted/m",
		"provider":{"scripted":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":%q,"apiKey":"x"},"models":{"m":{}}}}}`, m.URL+"/v1"))
	env := append(shared(home), "npm_config_registry="+m.URL, "npm_config_fetch_retries=0",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
	run(t, "", env, program(t), "install", "opencode", "--questions")
	return env
}

// copilotEnv is the environment of a Copilot CLI with a home of its own, and without an
// account.
func copilotEnv(t *testing.T, m *model, dir string) []string {
	home := t.TempDir()
	fatal.If(t, os.Mkdir(filepath.Join(home, ".copilot"), 0o700))
	save(t, filepath.Join(home, ".copilot", "config.json"), text(map[string]any{"trustedFolders": []string{dir}}))
	env := append(shared(home), "COPILOT_PROVIDER_BASE_URL="+m.URL+"/v1", "COPILOT_MODEL=m", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false")
	run(t, "", env, program(t), "install", "copilot")
	return env
}
