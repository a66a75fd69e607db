package install

import (
	"os"
	"path/filepath"
)

// long is how long a call may wait if the client's limit can be set: a day.
const (
	long        = "24h"
	longSeconds = 24 * 60 * 60
)

// Clients returns all known clients. The forms of their entries are what the programs write
// themselves, or those of their documentation.
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
	mcpServers := []string{"mcpServers"}
	const (
		newSession = "Start a new session to use it."
		startAnew  = "It has it when it is started anew."
	)
	return []Client{
		{
			Name: "claude-code", program: "claude", Restart: newSession, format: jsonFile, path: mcpServers,
			user:    func(p Place) string { return filepath.Join(p.dir("CLAUDE_CONFIG_DIR", ""), ".claude.json") },
			project: ".mcp.json", local: entry{"type": "stdio"}, questions: claudeQuestions,
		},
		{
			Name: "claude-desktop", Restart: startAnew, format: jsonFile, path: mcpServers,
			user: below(Place.config, "Claude/claude_desktop_config.json"),
		},
		{
			Name: "codex", program: "codex", Restart: "Stop a running daemon, then start a new session to use it.",
			format: tomlFile, path: []string{"mcp_servers"}, project: ".codex/config.toml",
			user: func(p Place) string { return filepath.Join(p.dir("CODEX_HOME", ".codex"), "config.toml") },
			hold: long, local: entry{"tool_timeout_sec": longSeconds},
		},
		{
			Name: "gemini", program: "gemini", Restart: startAnew, format: jsonFile, path: mcpServers,
			user: below(Place.Home, ".gemini/settings.json"), project: ".gemini/settings.json",
			// In milliseconds; 600 s is its limit otherwise. Trust means that it does not ask before
			// each question.
			hold: long, local: entry{"timeout": longSeconds * 1000, "trust": true},
		},
		{
			Name: "antigravity", program: "agy", Restart: startAnew, format: jsonFile, path: mcpServers,
			user: below(Place.Home, ".gemini/antigravity/mcp_config.json"),
		},
		{
			Name: "opencode", program: "opencode", Restart: startAnew, format: jsonFile, path: []string{"mcp"},
			user: func(p Place) string {
				path := filepath.Join(p.OpenCode(), "opencode.json")
				if _, err := os.Stat(path + "c"); err == nil { // with comments
					return path + "c"
				}
				return path
			},
			// Progress messages restart its limit.
			project: "opencode.json", local: entry{"type": "local", "enabled": true}, oneList: true,
			questions: openCodeQuestions,
		},
		{
			Name: "cursor", program: "cursor", Restart: "It asks whether to switch the server on.",
			format: jsonFile, path: mcpServers, project: ".cursor/mcp.json",
			user: below(Place.Home, ".cursor/mcp.json"),
		},
		{
			Name: "vscode", program: "code", Restart: "It asks whether to start the server.",
			format: jsonFile, path: []string{"servers"}, project: ".vscode/mcp.json",
			user: below(Place.config, "Code/User/mcp.json"), local: entry{"type": "stdio"},
		},
		{
			Name: "windsurf", program: "windsurf", Restart: "It has it when its list of servers is refreshed.",
			format: jsonFile, path: mcpServers,
			user: below(Place.Home, ".codeium/windsurf/mcp_config.json"),
		},
		{
			Name: "zed", program: "zed", format: jsonFile, path: []string{"context_servers"},
			Restart: "It has it at once. Claude Code in Zed asks without a permission if you also run mcp-askuser install " +
				"claude-code.",
			user:    onWindows(below(Place.config, "Zed/settings.json"), below(Place.xdg, "zed/settings.json")),
			project: ".zed/settings.json",
		},
		{
			Name: "goose", program: "goose", Restart: newSession, format: yaml, path: []string{"extensions"},
			user: onWindows(below(Place.config, "Block/goose/config/config.yaml"), below(Place.xdg, "goose/config.yaml")),
			hold: long, local: entry{"enabled": true, "type": "stdio", "name": Name, "timeout": longSeconds},
			command: "cmd",
		},
		{
			Name: "crush", program: "crush", Restart: startAnew, format: jsonFile, path: []string{"mcp"},
			user: onWindows(below(func(p Place) string { return p.Getenv("LOCALAPPDATA") }, "crush/crush.json"),
				below(Place.xdg, "crush/crush.json")),
			project: "crush.json", hold: long, local: entry{"type": "stdio", "timeout": longSeconds},
		},
		{
			Name: "copilot", program: "copilot", Restart: newSession, format: jsonFile, path: mcpServers,
			user:    func(p Place) string { return filepath.Join(p.dir("COPILOT_HOME", ".copilot"), "mcp-config.json") },
			project: ".github/mcp.json", hold: long,
			local: entry{"type": "local", "tools": []string{"*"}, "timeout": longSeconds * 1000},
		},
		{
			Name: "kiro", program: "kiro-cli", Restart: newSession, format: jsonFile, path: mcpServers,
			user: below(Place.Home, ".kiro/settings/mcp.json"), project: ".kiro/settings/mcp.json",
			// It asks before the use of a tool that is not in this list, which takes names only.
			local: entry{"autoApprove": []string{"ask_user_question", "confirm_action", "await_answer"}},
		},
	}
}
