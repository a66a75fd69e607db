package install

import (
	"maps"
	"os"
	"path/filepath"
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
	and := func(form func(Server) entry, more entry) func(Server) entry {
		return func(s Server) entry {
			all := form(s)
			maps.Copy(all, more)
			return all
		}
	}
	// The form of a server in most clients.
	waits := func(hold string) func(Server) entry {
		return func(s Server) entry { return entry{"command": s.Command, "args": s.args(hold)} }
	}
	plain := waits("")
	bearer := func(s Server) entry { return entry{"Authorization": "Bearer " + s.Token} }
	at := func(key string) func(Server) entry {
		return func(s Server) entry { return entry{key: s.URL, "headers": bearer(s)} }
	}
	mcpServers := []string{"mcpServers"}
	allTools := []string{"*"}
	approved := entry{"autoApprove": []string{"ask_user_question", "confirm_action", "await_answer"}}
	return []Client{
		{
			Name: "claude-code", program: "claude",
			Restart: "Start a new session to use it.",
			format:  jsonFile, path: mcpServers, project: ".mcp.json",
			user:  func(p Place) string { return filepath.Join(p.dir("CLAUDE_CONFIG_DIR", ""), ".claude.json") },
			local: and(plain, entry{"type": "stdio"}), remote: and(at("url"),
				entry{"type": "http"}), reference: "${" + TokenVariable + "}",
			questions: claudeQuestions,
		},
		{
			Name:    "claude-desktop",
			Restart: "It has it when it is started anew.",
			format:  jsonFile, path: mcpServers,
			user:  below(Place.config, "Claude/claude_desktop_config.json"),
			local: plain,
		},
		{
			Name: "codex", program: "codex",
			Restart: "Stop a running daemon, then start a new session to use it.",
			format:  tomlFile, path: []string{"mcp_servers"}, project: ".codex/config.toml",
			user:  func(p Place) string { return filepath.Join(p.dir("CODEX_HOME", ".codex"), "config.toml") },
			local: and(waits(long), entry{"tool_timeout_sec": longSeconds}),
			remote: func(s Server) entry {
				return entry{"url": s.URL, "bearer_token_env_var": TokenVariable, "tool_timeout_sec": longSeconds}
			},
			reference: TokenVariable,
		},
		{
			Name: "gemini", program: "gemini",
			Restart: "It has it when it is started anew.",
			format:  jsonFile, path: mcpServers, project: ".gemini/settings.json",
			user: below(Place.Home, ".gemini/settings.json"),
			// In milliseconds; 600 s is its limit otherwise. Trust means that it does
			// not ask before each question.
			local:     and(waits(long), entry{"timeout": longSeconds * 1000, "trust": true}),
			remote:    and(at("httpUrl"), entry{"trust": true}),
			reference: "$" + TokenVariable,
		},
		{
			Name: "antigravity", program: "agy",
			Restart: "It has it when it is started anew.",
			format:  jsonFile, path: mcpServers,
			user:  below(Place.Home, ".gemini/antigravity/mcp_config.json"),
			local: plain, remote: at("serverUrl"),
		},
		{
			Name: "opencode", program: "opencode",
			Restart: "It has it when it is started anew.",
			format:  jsonFile, path: []string{"mcp"}, project: "opencode.json",
			user: func(p Place) string {
				path := filepath.Join(p.OpenCode(), "opencode.json")
				if _, err := os.Stat(path + "c"); err == nil { // with comments
					return path + "c"
				}
				return path
			},
			questions: openCodeQuestions,
			// Progress messages restart its limit.
			local: func(s Server) entry {
				return entry{"type": "local", "command": append([]string{s.Command}, s.args("")...), "enabled": true}
			},
			remote:    and(at("url"), entry{"type": "remote", "enabled": true}),
			reference: "{env:" + TokenVariable + "}",
		},
		{
			Name: "cursor", program: "cursor",
			Restart: "It asks whether to switch the server on.",
			format:  jsonFile, path: mcpServers, project: ".cursor/mcp.json",
			user:  below(Place.Home, ".cursor/mcp.json"),
			local: plain, remote: at("url"), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "vscode", program: "code",
			Restart: "It asks whether to start the server.",
			format:  jsonFile, path: []string{"servers"}, project: ".vscode/mcp.json",
			user:  below(Place.config, "Code/User/mcp.json"),
			local: and(plain, entry{"type": "stdio"}), remote: and(at("url"),
				entry{"type": "http"}), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "windsurf", program: "windsurf",
			Restart: "It has it when its list of servers is refreshed.",
			format:  jsonFile, path: mcpServers,
			user:  below(Place.Home, ".codeium/windsurf/mcp_config.json"),
			local: plain, remote: at("serverUrl"), reference: "${env:" + TokenVariable + "}",
		},
		{
			Name: "zed", program: "zed",
			Restart: "It has it at once. Claude Code in Zed asks without a permission if you also run mcp-askuser install " +
				"claude-code.",
			format: jsonFile, path: []string{"context_servers"}, project: ".zed/settings.json",
			user:  onWindows(below(Place.config, "Zed/settings.json"), below(Place.xdg, "zed/settings.json")),
			local: plain, remote: at("url"),
		},
		{
			Name: "goose", program: "goose",
			Restart: "Start a new session to use it.",
			format:  yaml, path: []string{"extensions"},
			user: onWindows(below(Place.config, "Block/goose/config/config.yaml"), below(Place.xdg, "goose/config.yaml")),
			local: func(s Server) entry {
				return entry{
					"enabled": true, "type": "stdio", "name": Name,
					"cmd": s.Command, "args": s.args(long), "timeout": longSeconds,
				}
			},
			remote: func(s Server) entry {
				return entry{
					"enabled": true, "type": "streamable_http", "name": Name,
					"uri": s.URL, "headers": bearer(s), "timeout": longSeconds,
				}
			},
		},
		{
			Name: "crush", program: "crush",
			Restart: "It has it when it is started anew.",
			format:  jsonFile, path: []string{"mcp"}, project: "crush.json",
			user: func(p Place) string {
				dir := p.xdg()
				if p.OS == "windows" {
					dir = p.Getenv("LOCALAPPDATA")
				}
				return filepath.Join(dir, "crush", "crush.json")
			},
			local:  and(waits(long), entry{"type": "stdio", "timeout": longSeconds}),
			remote: and(at("url"), entry{"type": "http"}), reference: "$" + TokenVariable,
		},
		{
			Name: "copilot", program: "copilot",
			Restart: "Start a new session to use it.",
			format:  jsonFile, path: mcpServers, project: ".github/mcp.json",
			user:   func(p Place) string { return filepath.Join(p.dir("COPILOT_HOME", ".copilot"), "mcp-config.json") },
			local:  and(waits(long), entry{"type": "local", "tools": allTools, "timeout": longSeconds * 1000}),
			remote: and(at("url"), entry{"type": "http", "tools": allTools}), reference: "${" + TokenVariable + "}",
		},
		{
			Name: "kiro", program: "kiro-cli",
			Restart: "Start a new session to use it.",
			format:  jsonFile, path: mcpServers, project: ".kiro/settings/mcp.json",
			user: below(Place.Home, ".kiro/settings/mcp.json"),
			// It asks before the use of a tool that is not in this list, which takes names only.
			local: and(plain, approved), remote: and(at("url"), approved), reference: "${" + TokenVariable + "}",
		},
	}
}
