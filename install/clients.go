package install

import (
	"os"
	"path/filepath"
	"time"

	"mcp-askuser/install/edit"
)

// long is how long a call may wait if the client's limit can be set: a day.
const (
	long        = "24h"
	longSeconds = 24 * 60 * 60
)

// Clients returns all known clients. The forms of their entries are what the programs
// write themselves (Claude Code 2.1, Codex 0.169, Gemini CLI 0.61, OpenCode 1.18,
// Copilot CLI 1.0), or those of their documentation.
func Clients() []Client {
	below := func(dir func(Place) string, path string) func(Place) string {
		return func(p Place) string { return filepath.Join(dir(p), filepath.FromSlash(path)) }
	}
	onWindows := func(windows, elsewhere func(Place) string) func(Place) string {
		return func(p Place) string {
			if p.OS == "windows" {
				return windows(p)
			}
			return elsewhere(p)
		}
	}
	and := func(form func(Server) edit.Object, more ...edit.Member) func(Server) edit.Object {
		return func(s Server) edit.Object { return append(form(s), more...) }
	}
	// The form of a server in most clients.
	waits := func(hold string) func(Server) edit.Object {
		return func(s Server) edit.Object {
			return edit.Object{{Name: "command", Value: s.Command}, {Name: "args", Value: s.args(hold)}}
		}
	}
	plain := waits("")
	headers := func(s Server) edit.Member {
		return edit.Member{Name: "headers", Value: edit.Object{{Name: "Authorization", Value: "Bearer " + s.Token}}}
	}
	at := func(key string) func(Server) edit.Object {
		return func(s Server) edit.Object { return edit.Object{{Name: key, Value: s.URL}, headers(s)} }
	}
	typed := func(kind string, form func(Server) edit.Object) func(Server) edit.Object {
		return func(s Server) edit.Object {
			return append(edit.Object{{Name: "type", Value: kind}}, form(s)...)
		}
	}
	mcpServers := []string{"mcpServers"}
	allTools := edit.Member{Name: "tools", Value: []string{"*"}}
	approved := edit.Member{Name: "autoApprove", Value: []string{"ask_user_question", "confirm_action", "await_answer"}}
	return []Client{
		{
			Name: "claude-code", program: "claude",
			Restart: "Start a new session to use it.",
			format:  edit.JSON, path: mcpServers, project: ".mcp.json",
			user: func(p Place) string { return filepath.Join(p.dir("CLAUDE_CONFIG_DIR", ""), ".claude.json") },
			// Forms and progress messages do not extend its limit, if one is set.
			limit: limit{key: "timeout", unit: time.Millisecond, variable: "MCP_TOOL_TIMEOUT"},
			local: typed("stdio", plain), remote: typed("http", at("url")), reference: "${" + TokenVariable + "}",
			// It asks before the first use of a tool that is not in this list.
			allowed: func(p Place) (string, []string, string) {
				return p.ClaudeSettings(), []string{"permissions", "allow"}, "mcp__" + Name
			},
		},
		{
			Name:    "claude-desktop",
			Restart: "It has it when it is started anew.",
			format:  edit.JSON, path: mcpServers,
			user:  below(Place.config, "Claude/claude_desktop_config.json"),
			local: plain,
		},
		{
			Name: "codex", program: "codex",
			Restart: "Stop a running daemon, then start a new session to use it.",
			Bare:    true,
			format:  edit.TOML, path: []string{"mcp_servers"}, project: ".codex/config.toml",
			user: func(p Place) string { return filepath.Join(p.dir("CODEX_HOME", ".codex"), "config.toml") },
			// 300 s is its limit otherwise.
			limit: limit{key: "tool_timeout_sec", unit: time.Second, usual: 300 * time.Second},
			policy: policy{"approval_policy", "never", edit.Object{{Name: "granular", Value: edit.Object{
				{Name: "sandbox_approval", Value: false}, {Name: "rules", Value: false}, {Name: "mcp_elicitations", Value: true},
				{Name: "request_permissions", Value: false}, {Name: "skill_approval", Value: false},
			}}}},
			local: and(waits(long), edit.Member{Name: "tool_timeout_sec", Value: longSeconds}),
			remote: func(s Server) edit.Object {
				return edit.Object{{Name: "url", Value: s.URL}, {Name: "bearer_token_env_var", Value: TokenVariable}, {Name: "tool_timeout_sec", Value: longSeconds}}
			},
			reference: TokenVariable,
		},
		{
			Name: "gemini", program: "gemini",
			Restart: "It has it when it is started anew.",
			format:  edit.JSON, path: mcpServers, project: ".gemini/settings.json",
			user: below(Place.Home, ".gemini/settings.json"),
			// In milliseconds; 600 s is its limit otherwise. Trust means that it does
			// not ask before each question.
			limit:     limit{key: "timeout", unit: time.Millisecond, usual: 600 * time.Second},
			local:     and(waits(long), edit.Member{Name: "timeout", Value: longSeconds * 1000}, edit.Member{Name: "trust", Value: true}),
			remote:    and(at("httpUrl"), edit.Member{Name: "trust", Value: true}),
			reference: "$" + TokenVariable,
		},
		{
			Name: "antigravity", program: "agy",
			Restart: "It has it when it is started anew.",
			format:  edit.JSON, path: mcpServers,
			user:  below(Place.Home, ".gemini/antigravity/mcp_config.json"),
			local: plain, remote: at("serverUrl"),
		},
		{
			Name: "opencode", program: "opencode",
			Restart: "It has it when it is started anew.",
			format:  edit.JSON, path: []string{"mcp"}, project: "opencode.json",
			user: func(p Place) string {
				path := filepath.Join(p.OpenCode(), "opencode.json")
				if _, err := os.Stat(path + "c"); err == nil { // with comments
					return path + "c"
				}
				return path
			},
			// Progress messages restart its limit.
			local: func(s Server) edit.Object {
				return edit.Object{{Name: "type", Value: "local"}, {Name: "command", Value: append([]string{s.Command}, s.args("")...)}, {Name: "enabled", Value: true}}
			},
			remote:    and(typed("remote", at("url")), edit.Member{Name: "enabled", Value: true}),
			reference: "{env:" + TokenVariable + "}",
		},
		{
			Name: "cursor", program: "cursor",
			Restart: "It asks whether to switch the server on.",
			format:  edit.JSON, path: mcpServers, project: ".cursor/mcp.json",
			user:  below(Place.Home, ".cursor/mcp.json"),
			local: plain, remote: at("url"), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "vscode", program: "code",
			Restart: "It asks whether to start the server.",
			format:  edit.JSON, path: []string{"servers"}, project: ".vscode/mcp.json",
			user:  below(Place.config, "Code/User/mcp.json"),
			local: typed("stdio", plain), remote: typed("http", at("url")), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "windsurf", program: "windsurf",
			Restart: "It has it when its list of servers is refreshed.",
			format:  edit.JSON, path: mcpServers,
			user:  below(Place.Home, ".codeium/windsurf/mcp_config.json"),
			local: plain, remote: at("serverUrl"), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "zed", program: "zed",
			Restart: "It has it at once. Claude Code in Zed asks without a permission if you also run mcp-askuser install claude-code.",
			format:  edit.JSON, path: []string{"context_servers"}, project: ".zed/settings.json",
			user:  onWindows(below(Place.config, "Zed/settings.json"), below(Place.xdg, "zed/settings.json")),
			local: plain, remote: at("url"),
		},
		{
			Name: "goose", program: "goose",
			Restart: "Start a new session to use it.",
			path:    []string{"extensions"}, // YAML, which its user changes
			user:    onWindows(below(Place.config, "Block/goose/config/config.yaml"), below(Place.xdg, "goose/config.yaml")),
			limit:   limit{key: "timeout", unit: time.Second, usual: 300 * time.Second},
			local: func(s Server) edit.Object {
				return edit.Object{
					{Name: "enabled", Value: true}, {Name: "type", Value: "stdio"}, {Name: "name", Value: Name},
					{Name: "cmd", Value: s.Command}, {Name: "args", Value: s.args(long)}, {Name: "timeout", Value: longSeconds},
				}
			},
			remote: func(s Server) edit.Object {
				return edit.Object{
					{Name: "enabled", Value: true}, {Name: "type", Value: "streamable_http"}, {Name: "name", Value: Name},
					{Name: "uri", Value: s.URL}, headers(s), {Name: "timeout", Value: longSeconds},
				}
			},
		},
		{
			Name: "crush", program: "crush",
			Restart: "It has it when it is started anew.",
			format:  edit.JSON, path: []string{"mcp"}, project: "crush.json",
			user: func(p Place) string {
				dir := p.xdg()
				if p.OS == "windows" {
					dir = p.Getenv("LOCALAPPDATA")
				}
				return filepath.Join(dir, "crush", "crush.json")
			},
			limit:  limit{key: "timeout", unit: time.Second},
			local:  and(typed("stdio", waits(long)), edit.Member{Name: "timeout", Value: longSeconds}),
			remote: typed("http", at("url")), reference: "$" + TokenVariable,
		},
		{
			Name: "copilot", program: "copilot",
			Restart: "Start a new session to use it.",
			format:  edit.JSON, path: mcpServers, project: ".github/mcp.json",
			user:   func(p Place) string { return filepath.Join(p.dir("COPILOT_HOME", ".copilot"), "mcp-config.json") },
			limit:  limit{key: "timeout", unit: time.Millisecond},
			local:  and(typed("local", waits(long)), allTools, edit.Member{Name: "timeout", Value: longSeconds * 1000}),
			remote: and(typed("http", at("url")), allTools), reference: "${" + TokenVariable + "}",
		},
		{
			Name: "kiro", program: "kiro-cli",
			Restart: "Start a new session to use it.",
			format:  edit.JSON, path: mcpServers, project: ".kiro/settings/mcp.json",
			user: below(Place.Home, ".kiro/settings/mcp.json"),
			// It asks before the use of a tool that is not in this list, which takes names only.
			local: and(plain, approved), remote: and(at("url"), approved), reference: "${" + TokenVariable + "}",
		},
	}
}
